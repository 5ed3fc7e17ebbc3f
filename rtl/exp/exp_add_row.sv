// SPDX-License-Identifier: Apache-2.0
// Pairs of rows of binary32 numbers that are not negative, added a cycle later: row s of y_o is
// round(row 2s of x_i + row 2s + 1) to nearest even, subnormals kept. A NaN is canonical and so is
// its sum. Nothing cancels, so a third of fp_pkg::add does.
`include "tern_row.svh"

module exp_add_row #(
  parameter int unsigned Partitions = 128,
  parameter int unsigned Sums       = 2
) (
  input  logic                            clk_i,
  input  logic                            en_i,
  input  logic [2*Sums*Partitions*32-1:0] x_i,
  output logic   [Sums*Partitions*32-1:0] y_o
);
  typedef logic [2*Sums*Partitions*32-1:0] terms_t;
  typedef logic   [Sums*Partitions*32-1:0] sums_t;

  task automatic row_add_positive(`TERN_ROW_IN terms_t x, output sums_t y);
    // verilator no_inline_task
    logic [31:0] a, b, greater, lesser, g_base, l_base, g_sig, l_sig, shift, kept, sum, result;
    logic        low;
    for (int unsigned s = 0; s < Sums; s++) begin
      for (int unsigned i = 0; i < Partitions; i++) begin
        a       = x[(2*s*Partitions+i)*32+:32];
        b       = x[((2*s+1)*Partitions+i)*32+:32];
        greater = (a > b) ? a : b;  // In the order of the words; NaN is the greatest
        lesser  = (a > b) ? b : a;
        // Without their exponents less one, the words are significands, with the leading one.
        g_base  = greater >> 23;
        g_base  = ((g_base > 32'd1) ? g_base : 32'd1) - 32'd1;
        l_base  = lesser >> 23;
        l_base  = ((l_base > 32'd1) ? l_base : 32'd1) - 32'd1;
        g_sig   = (greater - (g_base << 23)) << 3;
        l_sig   = (lesser - (l_base << 23)) << 3;
        // Three more bits; those lost by the smaller are jammed into its last one.
        shift   = g_base - l_base;
        shift   = (shift > 32'd31) ? 32'd31 : shift;
        kept    = l_sig >> shift[4:0];
        kept    = ((kept << shift[4:0]) != l_sig) ? kept | 32'd1 : kept;
        // Below 4. The leading one of the significand counts as a step of the exponent.
        sum     = g_sig + kept;
        low     = sum < 32'h0800_0000;
        sum     = low ? sum << 1 : sum;
        result  = (low ? g_base << 23 : (g_base << 23) + 32'h0080_0000)
                + ((sum + 32'd7 + ((sum >> 4) & 32'd1)) >> 4);
        result  = (result > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Inf : result;
        y[(s*Partitions+i)*32+:32] = (greater > result) ? greater : result;  // NaN
      end
    end
  endtask

  sums_t y_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_add_positive(x_i, y_d);
      y_o <= y_d;
    end
  end
endmodule
