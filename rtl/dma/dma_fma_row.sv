// SPDX-License-Identifier: Apache-2.0
// One row of binary32 fused multiply-adds with one factor for all lanes, combinational:
// y = round(scale * x + c), one rounding to nearest even, subnormals kept, NaN canonical.
`include "tern_row.svh"

module dma_fma_row #(
  parameter int unsigned Lanes = 32
) (
  input  logic                en_i,  // y_o is 0 otherwise
  input  logic         [31:0] scale_i,
  input  logic [Lanes*32-1:0] x_i,
  input  logic [Lanes*32-1:0] c_i,
  output logic [Lanes*32-1:0] y_o
);
  typedef logic [Lanes*32-1:0] row_t;

  // Frame of the addition: 49 fraction bits at the exponent of the greater term, at least that of
  // the smallest normal. The product's 48 bits begin with its leading one; the bits of the smaller
  // term that its shift drops are ORed into its last bit.
  task automatic row_fma(input logic [31:0] scale, input row_t x, input row_t c, output row_t y);
    // verilator no_inline_task
    logic [63:0] prod, addend, greater, lesser, kept, sum, mag;
    logic [31:0] a, b, d, a_field, b_field, d_field, a_sig, b_sig, d_sig, sign, packed_abs;
    logic [31:0] prod_exp, d_exp, diff, shift, lim;
    logic        prod_big, opposite, negative, up, nan, prod_inf, inf;
    a       = scale;
    a_field = (a >> 23) & 32'hFF;
    a_sig   = (a & 32'h007F_FFFF) | ((a_field != 32'd0) ? 32'h0080_0000 : 32'd0);
    for (int unsigned i = 0; i < Lanes; i++) begin
      b       = x[i*32+:32];
      d       = c[i*32+:32];
      b_field = (b >> 23) & 32'hFF;
      d_field = (d >> 23) & 32'hFF;
      b_sig   = (b & 32'h007F_FFFF) | ((b_field != 32'd0) ? 32'h0080_0000 : 32'd0);
      d_sig   = (d & 32'h007F_FFFF) | ((d_field != 32'd0) ? 32'h0080_0000 : 32'd0);
      // The product: 46 fraction bits at this exponent; its leading one moves to bit 47.
      prod     = {32'd0, a_sig} * {32'd0, b_sig};
      prod_exp = ((a_field == 32'd0) ? 32'd1 : a_field) + ((b_field == 32'd0) ? 32'd1 : b_field)
               - 32'd126;
      up       = prod < 64'h0000_0001_0000_0000;
      prod_exp = up ? prod_exp - 32'd16 : prod_exp;
      prod     = up ? prod << 16 : prod;
      up       = prod < 64'h0000_0001_0000_0000;
      prod_exp = up ? prod_exp - 32'd16 : prod_exp;
      prod     = up ? prod << 16 : prod;
      up       = prod < 64'h0000_0100_0000_0000;
      prod_exp = up ? prod_exp - 32'd8 : prod_exp;
      prod     = up ? prod << 8 : prod;
      up       = prod < 64'h0000_1000_0000_0000;
      prod_exp = up ? prod_exp - 32'd4 : prod_exp;
      prod     = up ? prod << 4 : prod;
      up       = prod < 64'h0000_4000_0000_0000;
      prod_exp = up ? prod_exp - 32'd2 : prod_exp;
      prod     = up ? prod << 2 : prod;
      up       = prod < 64'h0000_8000_0000_0000;
      prod_exp = up ? prod_exp - 32'd1 : prod_exp;
      prod     = up ? prod << 1 : prod;
      // A product of zero is below everything.
      prod_exp = (prod == 64'd0) ? -32'd1000 : prod_exp;
      // Align: the leading one of both at bit 49.
      prod     = prod << 2;
      addend   = {32'd0, d_sig} << 26;
      d_exp    = (d_field == 32'd0) ? 32'd1 : d_field;
      diff     = d_exp - prod_exp;
      prod_big = diff[31];
      shift    = prod_big ? -diff : diff;
      shift    = (shift > 32'd63) ? 32'd63 : shift;
      greater  = prod_big ? prod : addend;
      lesser   = prod_big ? addend : prod;
      kept     = lesser >> shift[5:0];
      kept     = kept | (((kept << shift[5:0]) != lesser) ? 64'd1 : 64'd0);
      lim      = prod_big ? prod_exp : d_exp;
      // Add.
      sign     = a ^ b;
      opposite = sign[31] ^ d[31];
      sum      = opposite ? greater - kept : greater + kept;
      negative = sum[63];
      mag      = negative ? -sum : sum;
      sign     = (prod_big ? sign : d) ^ (negative ? 32'h8000_0000 : 32'd0);
      sign     = (mag == 64'd0 && opposite) ? 32'd0 : (sign & 32'h8000_0000);
      // Normalise: the leading one to bit 50, one above the frame, but not below the smallest
      // exponent.
      lim = lim + 32'd1;
      up  = (mag < 64'h0000_0000_0008_0000) && (lim > 32'd32);
      lim = up ? lim - 32'd32 : lim;
      mag = up ? mag << 32 : mag;
      up  = (mag < 64'h0000_0008_0000_0000) && (lim > 32'd16);
      lim = up ? lim - 32'd16 : lim;
      mag = up ? mag << 16 : mag;
      up  = (mag < 64'h0000_0800_0000_0000) && (lim > 32'd8);
      lim = up ? lim - 32'd8 : lim;
      mag = up ? mag << 8 : mag;
      up  = (mag < 64'h0000_8000_0000_0000) && (lim > 32'd4);
      lim = up ? lim - 32'd4 : lim;
      mag = up ? mag << 4 : mag;
      up  = (mag < 64'h0002_0000_0000_0000) && (lim > 32'd2);
      lim = up ? lim - 32'd2 : lim;
      mag = up ? mag << 2 : mag;
      up  = (mag < 64'h0004_0000_0000_0000) && (lim > 32'd1);
      lim = up ? lim - 32'd1 : lim;
      mag = up ? mag << 1 : mag;
      // Round the 24 upper bits (50 .. 27); the carry runs into the exponent.
      mag        = (mag + 64'h0000_0000_03FF_FFFF + ((mag >> 27) & 64'd1)) >> 27;
      lim        = (lim > 32'd300) ? 32'd300 : lim;
      packed_abs = ((lim - 32'd1) << 23) + mag[31:0];
      packed_abs = (packed_abs > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Inf : packed_abs;
      packed_abs = (sum == 64'd0) ? 32'd0 : packed_abs;
      // Infinities and NaN.
      prod_inf = (a_field == 32'd255) || (b_field == 32'd255);
      inf      = prod_inf || (d_field == 32'd255);
      nan      = ((a & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf) || ((b & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf)
              || ((d & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf)
              || (prod_inf && ((a_sig == 32'd0) || (b_sig == 32'd0)))
              || (prod_inf && (d_field == 32'd255) && opposite);
      sign     = !inf ? sign : (prod_inf ? a ^ b : d) & 32'h8000_0000;
      packed_abs  = inf ? fp_pkg::Fp32Inf : packed_abs;
      y[i*32+:32] = nan ? fp_pkg::Fp32Nan : (sign | packed_abs);
    end
  endtask

  always_comb begin
    if (en_i) row_fma(scale_i, x_i, c_i, y_o);
    else y_o = '0;
  end
endmodule
