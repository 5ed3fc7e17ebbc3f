// SPDX-License-Identifier: Apache-2.0
// One lane of array A: fma(a, w, c) of binary32 with one rounding to nearest even. The steps are
// functions, so that a pipeline can have a register after each; lane_fma joins them.
//
// 32-bit words and selects only: this is the form in which loops over lanes become vector code of
// the host (scripts/check-vectorized holds fma_row to that).
//
// Frame of the addition: 26 fraction bits at exponent field e = max(product, addend), at least that
// of the smallest normal. The smaller term is shifted right, the bits lost are ORed into its last
// bit ("jam"). The sum is below 8, i.e. below 2^29; normalising moves its leading one to bit 28 but
// never below the smallest exponent, so subnormal results need no special case.
`include "tern_range.svh"

package fma_pkg;

  // The product: 24 bits in [1, 4) with 22 fraction bits, placed in the frame by 4 more.
  function automatic void lane_product(input  logic [31:0] a, input logic [31:0] w,
                                       output logic [31:0] prod, output logic [31:0] prod_exp);
    prod     = ((a & 32'hFFF) << 4) * (w & 32'hFFF);
    prod_exp = ((a >> 12) & 32'h3FF) + ((w >> 12) & 32'h3FF)
             - (2 * fp_pkg::RecExpBias - 32'd127);
    prod_exp = `TERN_SIGNED(12, prod_exp);
  endfunction

  // A binary32 number in the frame. An infinity gets an exponent that no finite product reaches.
  function automatic void lane_term(input  logic [31:0] c,
                                    output logic [31:0] c_sig, output logic [31:0] c_exp);
    logic [31:0] field;
    field = (c >> 23) & 32'hFF;
    c_sig = ((c & 32'h007F_FFFF) << 3) | ((field != 32'd0) ? 32'h0400_0000 : 32'd0);
    c_exp = (field == 32'd255) ? 32'd600 : (field == 32'd0) ? 32'd1 : field;
  endfunction

  // Both terms at one exponent. `sign` is that of the term with the greater one, `zero` that of an
  // exact zero: both in bit 31, as `prod_sign`. `opposite`: the signs of the terms differ.
  function automatic void lane_align(
      input  logic [31:0] prod, input logic [31:0] prod_exp, input logic [31:0] prod_sign,
      input  logic [31:0] c,
      output logic [31:0] greater, output logic [31:0] kept, output logic [31:0] lim,
      output logic [31:0] sign, output logic [31:0] zero, output logic opposite);
    logic [31:0] c_sig, c_exp, diff, shift, lesser;
    lane_term(c, c_sig, c_exp);
    diff     = c_exp - prod_exp;
    diff     = `TERN_SIGNED(12, diff);
    shift    = `TERN_UNSIGNED(12, diff[31] ? -diff : diff);
    shift    = (shift > 32'd31) ? 32'd31 : shift;
    greater  = diff[31] ? prod : c_sig;
    lesser   = diff[31] ? c_sig : prod;
    kept     = lesser >> shift[4:0];
    kept     = kept | (((lesser & ~(32'hFFFF_FFFF << shift[4:0])) != 32'd0) ? 32'd1 : 32'd0);
    lim      = `TERN_UNSIGNED(11, (diff[31] ? prod_exp : c_exp) + 32'd1);
    lim      = (lim > 32'd401) ? 32'd401 : lim;
    opposite = prod_sign[31] ^ c[31];
    zero     = prod_sign & c;
    sign     = diff[31] ? prod_sign : c;
  endfunction

  // The sum as a magnitude with its sign.
  function automatic void lane_add(
      input  logic [31:0] greater, input logic [31:0] kept, input logic [31:0] sign,
      input  logic [31:0] zero, input logic opposite,
      output logic [31:0] mag, output logic [31:0] sum_sign);
    logic [31:0] sum;
    sum      = opposite ? greater - kept : greater + kept;
    sum      = `TERN_SIGNED(30, sum);
    mag      = `TERN_UNSIGNED(29, sum[31] ? -sum : sum);
    sum_sign = (mag == 32'd0) ? zero : sign ^ sum;
  endfunction

  // Normalises: the leading one to bit 28, unless that takes the exponent below the smallest one.
  // lim counts down to the exponent field minus one.
  function automatic void lane_normalise(input  logic [31:0] mag, input logic [31:0] lim,
                                         output logic [31:0] norm, output logic [31:0] base);
    logic [31:0] shift;
    shift = `TERN_UNSIGNED(5, fp_pkg::leading(mag, 32'h0000_2000));
    shift = (shift > lim) ? lim : shift;
    base  = `TERN_UNSIGNED(9, lim - shift);
    norm  = mag << shift[4:0];
  endfunction

  // Rounds the 24 upper bits to nearest even; the carry runs into the exponent. Overflow is
  // infinity.
  function automatic logic [31:0] lane_pack(input logic [31:0] norm, input logic [31:0] base,
                                            input logic [31:0] sign);
    logic [31:0] rounded, packed_abs;
    rounded    = norm;
    rounded    = (rounded + 32'd15 + ((rounded >> 5) & 32'd1)) >> 5;
    packed_abs = (base << 23) + rounded;
    packed_abs = (packed_abs > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Inf : packed_abs;
    packed_abs = (norm == 32'd0) ? 32'd0 : packed_abs;
    lane_pack  = (sign & 32'h8000_0000) | packed_abs;
  endfunction

  // Both.
  function automatic logic [31:0] lane_round(input logic [31:0] mag, input logic [31:0] lim,
                                             input logic [31:0] sign);
    logic [31:0] norm, base;
    lane_normalise(mag, lim, norm, base);
    lane_round = lane_pack(norm, base, sign);
  endfunction

  // All steps. a and w are in the common form of fp_pkg, a as a moving factor.
  function automatic logic [31:0] lane_fma(input logic [31:0] a, input logic [31:0] w,
                                           input logic [31:0] c);
    logic [31:0] prod, prod_exp, greater, kept, lim, sign, zero, mag, sum_sign;
    logic        opposite;
    lane_product(a, w, prod, prod_exp);
    lane_align(prod, prod_exp, a ^ w, c, greater, kept, lim, sign, zero, opposite);
    lane_add(greater, kept, sign, zero, opposite, mag, sum_sign);
    lane_fma = lane_round(mag, lim, sum_sign);
  endfunction

  // The result is NaN instead.
  function automatic logic lane_nan(input logic [31:0] a, input logic [31:0] w,
                                    input logic [31:0] c);
    logic opposite;
    opposite = a[31] ^ w[31] ^ c[31];
    lane_nan = ((a & w & fp_pkg::RecFlags) != 32'd0) || ((c & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf)
            || (opposite && ((c >> 23) & 32'hFF) == 32'd255
                && (((w | (a << 1)) & (32'd1 << fp_pkg::RecInfBit)) != 32'd0));
  endfunction

endpackage
