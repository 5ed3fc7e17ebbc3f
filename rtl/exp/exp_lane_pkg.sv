// SPDX-License-Identifier: Apache-2.0
// The steps of the exponential for one element, between its multiplications. Rows of lanes call
// them in loops (exp_*_row); a single lane puts one multiplier between them. 32-bit words and
// selects only, so that the loops become vector code of the host.
`include "tern_range.svh"

package exp_lane_pkg;

  // Stage 2, first half: x - m as a sum with four bits below the significand of binary32, its
  // leading one in bit 27 or, if it cancelled, below. x is binary32; m has its sign moved to bit 0.
  // sign: 1 for a positive difference.
  function automatic void difference(input  logic [31:0] x, input logic [31:0] m,
                                     output logic [31:0] sum, output logic [31:0] exponent,
                                     output logic [31:0] sign, output logic nan);
    logic [31:0] a, greater, lesser, g_sig, l_sig, shift, kept;
    logic        opposite, less;
    // Magnitude in bits 31:1 and the inverted sign, which is the sign of m, in bit 0. Of equal
    // magnitudes the positive one is the greater: x - x is +0.
    a        = ((x << 1) | (x >> 31)) ^ 32'd1;
    greater  = (a > m) ? a : m;
    lesser   = (a > m) ? m : a;
    // Significands with three more bits; those lost by the smaller are jammed into its last
    // one. Zero and subnormals count as 2^-127 and above: too small to matter.
    g_sig    = ((greater << 2) & 32'h03FF_FFF8) | 32'h0400_0000;
    l_sig    = ((lesser << 2) & 32'h03FF_FFF8) | 32'h0400_0000;
    shift    = `TERN_UNSIGNED(8, (greater >> 24) - (lesser >> 24));
    shift    = (shift > 32'd31) ? 32'd31 : shift;
    kept     = l_sig >> shift[4:0];
    kept     = ((kept << shift[4:0]) != l_sig) ? kept | 32'd1 : kept;
    opposite = ((greater ^ lesser) & 32'd1) != 32'd0;
    sum      = `TERN_UNSIGNED(28, opposite ? g_sig - kept : g_sig + kept);
    // Bits are lost only if the leading one is in the last three places; below, sum is exact.
    exponent = (greater >> 24) + 32'd124;
    less     = sum < 32'h0800_0000;
    sum      = less ? sum << 1 : sum;
    exponent = `TERN_UNSIGNED(9, less ? exponent - 32'd1 : exponent);
    less     = sum < 32'h0800_0000;
    sum      = `TERN_UNSIGNED(28, less ? sum << 1 : sum);
    exponent = `TERN_UNSIGNED(9, less ? exponent - 32'd1 : exponent);
    sign     = greater & 32'd1;
    nan      = greater > 32'hFF00_0001 || (opposite && lesser > 32'hFEFF_FFFF);
  endfunction

  // Second half: rounded and aligned, d = +-sig * 2^-(17 + drop). Bits 24:0 of d are sig, bit 31 is
  // the sign; drop has bit 9 set for NaN.
  function automatic void align(input  logic [31:0] sum, input logic [31:0] exponent,
                                input  logic [31:0] sign, input logic nan,
                                output logic [31:0] d, output logic [31:0] drop);
    logic [31:0] rounded, left, limit, shift;
    rounded  = `TERN_UNSIGNED(25, (sum + 32'd7 + ((sum >> 4) & 32'd1)) >> 4);
    // Exponent 256: units of 2^-17. A difference of large numbers moves up, at most to 2^24.
    left     = `TERN_UNSIGNED(8, (exponent > 32'd256) ? exponent - 32'd256 : 32'd0);
    left     = (left > 32'd31) ? 32'd31 : left;
    limit    = 32'h8000_0000 >> left[4:0];
    rounded  = (rounded > limit) ? limit : rounded;
    rounded  = rounded << left[4:0];
    rounded  = (rounded > 32'h0100_0000) ? 32'h0100_0000 : rounded;
    shift    = `TERN_UNSIGNED(8, (exponent < 32'd256) ? 32'd256 - exponent : 32'd0);
    d        = rounded | (~(sign << 31) & 32'h8000_0000);
    drop     = nan ? shift | 32'h200 : shift;
  endfunction

  // Stage 3: t = floor(d * log2(e)) from product = (d << 7) * fraction of log2(e).
  function automatic void scale(input  logic [31:0] d, input logic [31:0] drop,
                                input  logic [63:0] product,
                                output logic [31:0] fraction, output logic [31:0] place);
    logic [31:0] flip, upper, lower, rest, shift;
    logic        both;
    flip     = 32'd0 - (d >> 31);
    // |d| * log2(e) is upper * 2^32 + lower; 28 + drop bits are cut. floor(-n / 2^k) is
    // -1 - floor((n - 1) / 2^k): one less, then all bits flip. log2(e) is odd, so that lower is
    // 0 for d = +0 only: no borrow.
    upper    = product[63:32] + (d << 7);
    lower    = product[31:0] + flip;
    both     = drop < 32'd4;  // Bits of both words
    rest     = both ? (upper << 4) | (lower >> 28) : upper;
    shift    = `TERN_UNSIGNED(10, both ? drop : drop - 32'd4);
    shift    = (shift > 32'd31) ? 32'd31 : shift;
    fraction = ((rest >> shift[4:0]) ^ flip) & 32'h0FFF_FFFF;
    shift    = (drop > 32'd31) ? 32'd31 : drop;
    place    = `TERN_UNSIGNED(9, (((upper >> 24) >> shift[4:0]) ^ flip) + 32'd192)
             | (drop & 32'h200);
  endfunction

  // Stage 4. The words of the table hold c0 and c1, and c2 in their free bits.
  function automatic logic [31:0] curvature(input logic [31:0] low, input logic [31:0] high);
    curvature = (low >> 28) | ((high >> 23) << 4);
  endfunction

  // s = c1 + ((c2 * r) >> 20) from the products of c2 with both halves of r: truncating the shifted
  // parts of a product drops the same bits as truncating the product.
  function automatic logic [31:0] slope(input logic [31:0] high, input logic [31:0] upper_product,
                                        input logic [31:0] lower_product);
    slope = (high & 32'h007F_FFFF) + ((upper_product + (lower_product >> 11)) >> 9);
  endfunction

  // y from the upper word of (s << 8) * (r << 2).
  function automatic logic [31:0] value(input logic [31:0] low, input logic [31:0] upper);
    value = 32'h1000_0000 + (low & 32'h0FFF_FFFF) + upper;
  endfunction

  // Stage 5: one rounding to binary32. limit and quiet are infinity and NaN, or 0 for an absent
  // element.
  function automatic logic [31:0] round(input logic [31:0] y, input logic [31:0] place,
                                        input logic [31:0] limit, input logic [31:0] quiet);
    logic [31:0] base, room, drop, half, kept, rounded;
    // Place 66 is 2^-126. For every place below, one more bit of the significand is dropped.
    base    = `TERN_UNSIGNED(10, (place > 32'd66) ? place - 32'd66 : 32'd0);
    room    = `TERN_UNSIGNED(10, (place > 32'd40) ? place - 32'd40 : 32'd0);
    room    = (room > 32'd26) ? 32'd26 : room;
    drop    = `TERN_UNSIGNED(5, 32'd31 - room);
    half    = 32'h3FFF_FFFF >> room[4:0];  // 2^(drop - 1) - 1
    kept    = y >> drop[4:0];
    rounded = (y + half + (kept & 32'd1)) >> drop[4:0];
    // A carry out of the rounding moves into the exponent.
    rounded = (base << 23) + rounded;
    rounded = (rounded > limit) ? limit : rounded;
    round   = ((place & 32'h200) != 32'd0) ? quiet : rounded;
  endfunction

endpackage
