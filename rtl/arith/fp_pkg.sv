// SPDX-License-Identifier: Apache-2.0
// Words in which operands travel to the fused multiply-adds, and constants of binary32.
package fp_pkg;

  localparam logic [31:0] Fp32Inf = 32'h7F80_0000;
  localparam logic [31:0] Fp32Nan = 32'h7FC0_0000;  // Every NaN that leaves the engine

  // Common form of an operand with at most 12 significant bits (BF16, FP16, TF32, one half of an
  // FP32 word), exact for all of them. One 32-bit word, so that a lane of the simulation is a lane
  // of the host's vector unit; the constant bits cost nothing in synthesis.
  //   31    sign
  //   30    NaN
  //   29    infinity
  //   28    zero
  //   27    one
  //   26:23 free (a sparse weight keeps the position of its partner here)
  //   22    free (a sparse weight that contributes nothing)
  //   21:12 exponent + 256; zero 0, infinity and NaN 640
  //   11:0  significand, 1.11 fixed point with the leading one at bit 11; zero 0
  // A zero's exponent is so low that its product never sets the frame of the addition: -256 + 127 +
  // 127 < 1. An infinity's is so high that its product overflows whatever the other factor: 384 -
  // 149 + 127 > 255.
  localparam int unsigned RecNanBit  = 30;
  localparam int unsigned RecInfBit  = 29;
  localparam int unsigned RecZeroBit = 28;
  localparam int unsigned RecSkipBit = 22;
  localparam logic [31:0] RecExpBias = 32'd256;
  localparam logic [31:0] RecExpInf  = 32'd640;

  // The moving factor of a product carries the flags of the weight that make the product NaN, in
  // the bit positions of those flags. A NaN is always one of them. Infinity is one if the factor is
  // zero, zero if it is infinite, any if it is NaN.
  localparam logic [31:0] RecFlags = 32'h7800_0000;

  // round(a + b) of binary32, to nearest even, subnormals kept, NaN canonical. As in fma_row: frame
  // of 26 fraction bits, sum below 4, leading one moved to bit 27. Two steps, for a pipeline with a
  // register between them: the sum, then its normalisation and rounding.
  function automatic logic [31:0] add(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] sum, lim, sign;
    logic        nan, inf;
    add_terms(a, b, sum, lim, sign, nan, inf);
    add = add_round(sum, lim, sign, nan, inf);
  endfunction

  // The magnitude of the sum at exponent field lim, its sign in bit 31.
  function automatic void add_terms(
      input  logic [31:0] a, input logic [31:0] b, output logic [31:0] sum,
      output logic [31:0] lim, output logic [31:0] sign, output logic nan, output logic inf);
    logic [31:0] a_abs, b_abs, greater, lesser, g_field, l_field, g_sig, l_sig, shift, kept;
    logic        a_big, opposite;
    a_abs    = a & 32'h7FFF_FFFF;
    b_abs    = b & 32'h7FFF_FFFF;
    a_big    = a_abs > b_abs;
    greater  = a_big ? a_abs : b_abs;
    lesser   = a_big ? b_abs : a_abs;
    g_field  = greater >> 23;
    l_field  = lesser >> 23;
    g_sig    = ((greater & 32'h007F_FFFF) << 3) | ((g_field != 32'd0) ? 32'h0400_0000 : 32'd0);
    l_sig    = ((lesser & 32'h007F_FFFF) << 3) | ((l_field != 32'd0) ? 32'h0400_0000 : 32'd0);
    lim      = (g_field == 32'd0) ? 32'd1 : g_field;
    shift    = lim - ((l_field == 32'd0) ? 32'd1 : l_field);
    shift    = (shift > 32'd31) ? 32'd31 : shift;
    kept     = l_sig >> shift[4:0];
    kept     = kept | (((kept << shift[4:0]) != l_sig) ? 32'd1 : 32'd0);
    opposite = a[31] ^ b[31];
    sum      = opposite ? g_sig - kept : g_sig + kept;
    sign     = (sum == 32'd0) ? a & b : a_big ? a : b;
    nan      = greater > Fp32Inf || (opposite && lesser == Fp32Inf);
    inf      = greater == Fp32Inf;
  endfunction

  function automatic logic [31:0] add_round(input logic [31:0] sum, input logic [31:0] lim,
                                            input logic [31:0] sign, input logic nan,
                                            input logic inf);
    logic [31:0] shift, mag, field, rounded, packed_abs;
    // Normalise, not below the smallest exponent.
    shift    = leading(sum, 32'h0000_1000);
    shift    = (shift > lim) ? lim : shift;
    mag      = sum << shift[4:0];
    field    = lim - shift;
    rounded    = (mag + 32'd7 + ((mag >> 4) & 32'd1)) >> 4;
    packed_abs = (field << 23) + rounded;
    packed_abs = (sum == 32'd0) ? 32'd0 : packed_abs;
    packed_abs = (packed_abs > Fp32Inf || inf) ? Fp32Inf : packed_abs;
    add_round  = nan ? Fp32Nan : ((sign & 32'h8000_0000) | packed_abs);
  endfunction

  // Places from the leading one of x up to bit 15 + log2(below), 31 if there is none; x is below
  // 2^31. Conditions are sign bits: the host selects by them without a comparison.
  function automatic logic [31:0] leading(input logic [31:0] x, input logic [31:0] below);
    logic [31:0] norm;
    logic        less;
    less    = ((x - below) & 32'h8000_0000) != 32'd0;
    norm    = less ? x << 16 : x;
    leading = less ? 32'd16 : 32'd0;
    less    = ((norm - (below << 8)) & 32'h8000_0000) != 32'd0;
    norm    = less ? norm << 8 : norm;
    leading = less ? leading + 32'd8 : leading;
    less    = ((norm - (below << 12)) & 32'h8000_0000) != 32'd0;
    norm    = less ? norm << 4 : norm;
    leading = less ? leading + 32'd4 : leading;
    less    = ((norm - (below << 14)) & 32'h8000_0000) != 32'd0;
    norm    = less ? norm << 2 : norm;
    leading = less ? leading + 32'd2 : leading;
    less    = ((norm - (below << 15)) & 32'h8000_0000) != 32'd0;
    leading = less ? leading + 32'd1 : leading;
  endfunction

endpackage
