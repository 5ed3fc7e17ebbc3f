// SPDX-License-Identifier: Apache-2.0
// One lane of a chain of blocks (mx_chain_row): t = round(B * 2^(sa - 127) * 2^(sb - 127)) of an
// exact sum B in four words. The steps are functions, so that a pipeline can have a register after
// each; lane_scale joins them. round(acc + t) is fp_pkg::add.
package mx_lane_pkg;

  // The magnitude: 70 bits in three words. `sign` is all ones if B is negative.
  function automatic void lane_magnitude(
      input  logic [31:0] word0, input logic [31:0] word1, input logic [31:0] word2,
      input  logic [31:0] word3, output logic [31:0] low, output logic [31:0] mid,
      output logic [31:0] high, output logic [31:0] sign);
    logic [31:0] part0, part1, part2, part3, carry;
    // Carries between the words: 16 bits each, the last one signed. The arithmetic shift of a
    // 32-bit word is written as a logical one, with the sign handled separately.
    part0 = word0;
    part1 = word1 + ((part0 + 32'h8000_0000) >> 16) - 32'h8000;
    part2 = word2 + ((part1 + 32'h8000_0000) >> 16) - 32'h8000;
    part3 = word3 + ((part2 + 32'h8000_0000) >> 16) - 32'h8000;
    low   = (part1 << 16) | (part0 & 32'hFFFF);
    mid   = (part3 << 16) | (part2 & 32'hFFFF);
    high  = ((part3 + 32'h8000_0000) >> 16) - 32'h8000;
    sign  = (part3[31]) ? 32'hFFFF_FFFF : 32'd0;
    carry = sign & ((low == 32'd0) ? 32'd1 : 32'd0);
    low   = (low ^ sign) - sign;
    high  = (high ^ sign) + ((mid == 32'd0) ? carry : 32'd0);
    mid   = (mid ^ sign) + carry;
  endfunction

  // The leading one at bit 30, what is lost ORed into bit 0; place is the leading one's position.
  function automatic void lane_normalise(
      input  logic [31:0] low, input logic [31:0] mid, input logic [31:0] high,
      output logic [31:0] norm, output logic [31:0] place);
    logic [31:0] top, next, lost, count, field;
    logic        up;
    // The upper 32 bits from the first nonzero word on, the 32 bits below them, and the bits
    // that are lost; field is the position of bit 31.
    up    = high != 32'd0;
    lost  = up ? low << 24 : 32'd0;
    top   = up ? (high << 24) | (mid >> 8) : (mid != 32'd0) ? mid : low;
    next  = up ? (mid << 24) | (low >> 8) : (mid != 32'd0) ? low : 32'd0;
    field = up ? 32'd71 : (mid != 32'd0) ? 32'd63 : 32'd31;
    // Normalise: the leading one to bit 31.
    norm  = top;
    count = 32'd0;
    up    = norm < 32'h0001_0000;
    norm  = up ? norm << 16 : norm;
    count = up ? count + 32'd16 : count;
    up    = norm < 32'h0100_0000;
    norm  = up ? norm << 8 : norm;
    count = up ? count + 32'd8 : count;
    up    = norm < 32'h1000_0000;
    norm  = up ? norm << 4 : norm;
    count = up ? count + 32'd4 : count;
    up    = norm < 32'h4000_0000;
    norm  = up ? norm << 2 : norm;
    count = up ? count + 32'd2 : count;
    up    = norm < 32'h8000_0000;
    norm  = up ? norm << 1 : norm;
    count = up ? count + 32'd1 : count;
    norm  = norm | ((next >> 1) >> (32'd31 - count));
    lost  = lost | (next << count[4:0]);
    norm  = (norm >> 1) | (norm & 32'd1) | ((lost != 32'd0) ? 32'd1 : 32'd0);
    place = field - count;
  endfunction

  // Scaled and rounded; flags and scales that make a result which is not finite.
  function automatic logic [31:0] lane_round(
      input logic [31:0] norm, input logic [31:0] place, input logic [31:0] sign,
      input logic [31:0] flag, input logic [31:0] column, input logic [31:0] scale);
    logic [31:0] field, shift, kept, rounded, packed_abs, minus;
    logic        up, nan;
    // Exponent field of the result, minus one. A field below 1 becomes a right shift.
    field  = place + column + scale - 32'd160;
    up     = field[31];
    shift  = up ? -field : 32'd0;
    shift  = (shift > 32'd30) ? 32'd30 : shift;
    field  = up ? 32'd0 : field;
    kept   = norm >> shift[4:0];
    kept   = kept | (((kept << shift[4:0]) != norm) ? 32'd1 : 32'd0);
    // Round the 24 upper bits to nearest even; the carry runs into the exponent.
    rounded    = (kept + 32'd63 + ((kept >> 7) & 32'd1)) >> 7;
    packed_abs = (field << 23) + rounded;
    packed_abs = (packed_abs > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Inf : packed_abs;
    packed_abs = (norm == 32'd0) ? 32'd0 : packed_abs;
    // Results that are not finite.
    nan  = ((flag & mx_pkg::FlagNan) != 32'd0) || (column == {24'd0, mx_pkg::ScaleNan})
        || (scale == {24'd0, mx_pkg::ScaleNan})
        || ((flag & (mx_pkg::FlagPos | mx_pkg::FlagNeg)) == (mx_pkg::FlagPos | mx_pkg::FlagNeg));
    minus = (flag != 32'd0) ? flag << 29 : sign;
    packed_abs  = (flag != 32'd0) ? fp_pkg::Fp32Inf : packed_abs;
    lane_round = nan ? fp_pkg::Fp32Nan : ((minus & 32'h8000_0000) | packed_abs);
  endfunction

  // All steps.
  function automatic logic [31:0] lane_scale(
      input logic [31:0] word0, input logic [31:0] word1, input logic [31:0] word2,
      input logic [31:0] word3, input logic [31:0] flag, input logic [31:0] column,
      input logic [31:0] scale);
    logic [31:0] low, mid, high, sign, norm, place;
    lane_magnitude(word0, word1, word2, word3, low, mid, high, sign);
    lane_normalise(low, mid, high, norm, place);
    lane_scale = lane_round(norm, place, sign, flag, column, scale);
  endfunction

endpackage
