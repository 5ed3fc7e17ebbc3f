// SPDX-License-Identifier: Apache-2.0
// One row of binary32 additions, combinational: y = round(a + b) to nearest even, subnormals kept,
// NaN canonical.
`include "tern_trace.svh"

module fadd_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic                en_i,  // y_o is 0 otherwise
  `TERN_LANES
  input  logic [Lanes*32-1:0] a_i,
  input  logic [Lanes*32-1:0] b_i,
  output logic [Lanes*32-1:0] y_o
  `TERN_LANES_END
);
  typedef logic [Lanes*32-1:0] row_t;

  // As in fma_row: frame of 26 fraction bits, sum below 4, leading one moved to bit 27.
  task automatic row_add(input row_t a, input row_t b, output row_t y);
    // verilator no_inline_task
    logic [31:0] ai, bi, a_field, b_field, a_sig, b_sig, a_exp, b_exp;
    logic [31:0] diff, shift, greater, lesser, kept;
    logic [31:0] lim, sum, mag, sign, raw, rounded, packed_abs;
    logic        b_big, opposite, negative, up, nan;
    for (int unsigned i = 0; i < Lanes; i++) begin
      ai = a[i*32+:32];
      bi = b[i*32+:32];
      a_field  = (ai >> 23) & 32'hFF;
      b_field  = (bi >> 23) & 32'hFF;
      a_sig    = ((ai & 32'h007F_FFFF) << 3) | ((a_field != 32'd0) ? 32'h0400_0000 : 32'd0);
      b_sig    = ((bi & 32'h007F_FFFF) << 3) | ((b_field != 32'd0) ? 32'h0400_0000 : 32'd0);
      a_exp    = (a_field == 32'd255) ? 32'd300 : (a_field == 32'd0) ? 32'd1 : a_field;
      b_exp    = (b_field == 32'd255) ? 32'd300 : (b_field == 32'd0) ? 32'd1 : b_field;
      diff     = a_exp - b_exp;
      b_big    = diff[31];
      shift    = b_big ? -diff : diff;
      shift    = (shift > 32'd31) ? 32'd31 : shift;
      greater  = b_big ? b_sig : a_sig;
      lesser   = b_big ? a_sig : b_sig;
      kept     = lesser >> shift[4:0];
      kept     = kept | (((kept << shift[4:0]) != lesser) ? 32'd1 : 32'd0);
      lim      = b_big ? b_exp : a_exp;
      opposite = ai[31] ^ bi[31];
      sum      = opposite ? greater - kept : greater + kept;
      negative = sum[31];
      mag      = negative ? -sum : sum;
      sign     = (b_big ? bi : ai) ^ (negative ? 32'h8000_0000 : 32'd0);
      sign     = (mag == 32'd0 && opposite) ? 32'd0 : (sign & 32'h8000_0000);
      nan      = ((ai & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf)
              || ((bi & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf)
              || (opposite && (a_field == 32'd255) && (b_field == 32'd255));
      raw = mag;
      up  = (mag < 32'h0000_1000) && (lim >= 32'd16);
      mag = up ? mag << 16 : mag;
      lim = up ? lim - 32'd16 : lim;
      up  = (mag < 32'h0010_0000) && (lim >= 32'd8);
      mag = up ? mag << 8 : mag;
      lim = up ? lim - 32'd8 : lim;
      up  = (mag < 32'h0100_0000) && (lim >= 32'd4);
      mag = up ? mag << 4 : mag;
      lim = up ? lim - 32'd4 : lim;
      up  = (mag < 32'h0400_0000) && (lim >= 32'd2);
      mag = up ? mag << 2 : mag;
      lim = up ? lim - 32'd2 : lim;
      up  = (mag < 32'h0800_0000) && (lim >= 32'd1);
      mag = up ? mag << 1 : mag;
      lim = up ? lim - 32'd1 : lim;
      rounded    = (mag + 32'd7 + ((mag >> 4) & 32'd1)) >> 4;
      packed_abs = (lim << 23) + rounded;
      packed_abs = (packed_abs > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Inf : packed_abs;
      packed_abs = (raw == 32'd0) ? 32'd0 : packed_abs;
      y[i*32+:32] = nan ? fp_pkg::Fp32Nan : (sign | packed_abs);
    end
  endtask

  always_comb begin
    if (en_i) row_add(a_i, b_i, y_o);
    else y_o = '0;
  end
endmodule
