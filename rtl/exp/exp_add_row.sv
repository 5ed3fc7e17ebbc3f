// SPDX-License-Identifier: Apache-2.0
// One row of binary32 additions of numbers that are not negative, a cycle later: y = round(a + b)
// to nearest even, subnormals kept, NaN canonical. Nothing cancels, so a third of fp_pkg::add does.
`include "tern_row.svh"

module exp_add_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic                clk_i,
  input  logic                en_i,
  input  logic [Lanes*32-1:0] a_i,
  input  logic [Lanes*32-1:0] b_i,
  output logic [Lanes*32-1:0] y_o
);
  typedef logic [Lanes*32-1:0] row_t;

  task automatic row_add_positive(`TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b, output row_t y);
    // verilator no_inline_task
    logic [31:0] ai, bi, greater, lesser, g_field, l_field, g_sig, l_sig, g_exp, shift, kept, sum;
    logic [31:0] carry, rounded, result;
    for (int unsigned i = 0; i < Lanes; i++) begin
      ai      = a[i*32+:32];
      bi      = b[i*32+:32];
      greater = (ai > bi) ? ai : bi;  // In the order of the words; NaN is the greatest
      lesser  = (ai > bi) ? bi : ai;
      // Significands with three more bits; those lost by the smaller are jammed into its last one.
      g_field = greater >> 23;
      l_field = lesser >> 23;
      g_sig   = ((greater & 32'h007F_FFFF) << 3) | ((g_field != 32'd0) ? 32'h0400_0000 : 32'd0);
      l_sig   = ((lesser & 32'h007F_FFFF) << 3) | ((l_field != 32'd0) ? 32'h0400_0000 : 32'd0);
      g_exp   = (g_field == 32'd0) ? 32'd1 : g_field;
      shift   = g_exp - ((l_field == 32'd0) ? 32'd1 : l_field);
      shift   = (shift > 32'd31) ? 32'd31 : shift;
      kept    = l_sig >> shift[4:0];
      kept    = kept | (((kept << shift[4:0]) != l_sig) ? 32'd1 : 32'd0);
      // Below 4: one bit to the right at most, the bit lost is jammed too.
      sum     = g_sig + kept;
      carry   = sum >> 27;
      sum     = (carry != 32'd0) ? (sum >> 1) | (sum & 32'd1) : sum;
      rounded = (sum + 32'd3 + ((sum >> 3) & 32'd1)) >> 3;
      // The leading one of the significand counts as a step of the exponent.
      result  = ((g_exp - 32'd1 + carry) << 23) + rounded;
      result  = (result > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Inf : result;
      y[i*32+:32] = (greater > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Nan : result;
    end
  endtask

  row_t y_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_add_positive(a_i, b_i, y_d);
      y_o <= y_d;
    end
  end
endmodule
