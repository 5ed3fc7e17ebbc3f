// SPDX-License-Identifier: Apache-2.0
// One row of scaled block sums, combinational: t = round(B * 2^(sa - 127) * 2^(sb - 127)) to
// binary32, nearest even, gradual underflow, overflow to infinity; an exact zero is +0.
`include "tern_row.svh"
`include "tern_trace.svh"

module mx_scale_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic                   en_i,       // t_o is 0 otherwise
  input  logic [7:0]             scale_i,    // Of the moving operand, the same for all lanes
  input  logic                   special_i,  // flags_i counts
  `TERN_LANES
  input  logic [4*Lanes*32-1:0]  sum_i,      // Four words per lane, see mx_dot_row
  input  logic [Lanes*32-1:0]    flags_i,    // mx_pkg::Flag*
  input  logic [Lanes*32-1:0]    scales_i,   // Of the stationary operand, a byte in each word
  output logic [Lanes*32-1:0]    t_o
  `TERN_LANES_END
);
  typedef logic [Lanes*32-1:0] row_t;
  typedef logic [4*Lanes*32-1:0] sums_t;

  task automatic row_scale(`TERN_ROW_IN sums_t s, `TERN_ROW_IN row_t flags,
                           input logic [31:0] special, `TERN_ROW_IN row_t scales,
                           input logic [31:0] scale, output row_t t);
    // verilator no_inline_task
    logic [31:0] part0, part1, part2, part3, low, mid, high, sign, carry;
    logic [31:0] top, next, norm, lost, count, field, shift, kept, rounded, packed_abs;
    logic [31:0] flag, column;
    logic        up, nan;
    for (int unsigned i = 0; i < Lanes; i++) begin
      // Carries between the words: 16 bits each, the last one signed. The arithmetic shift of a
      // 32-bit word is written as a logical one, with the sign handled separately.
      part0 = s[i*32+:32];
      part1 = s[(1*Lanes+i)*32+:32] + ((part0 + 32'h8000_0000) >> 16) - 32'h8000;
      part2 = s[(2*Lanes+i)*32+:32] + ((part1 + 32'h8000_0000) >> 16) - 32'h8000;
      part3 = s[(3*Lanes+i)*32+:32] + ((part2 + 32'h8000_0000) >> 16) - 32'h8000;
      // Magnitude: 70 bits in three words.
      low   = (part1 << 16) | (part0 & 32'hFFFF);
      mid   = (part3 << 16) | (part2 & 32'hFFFF);
      high  = ((part3 + 32'h8000_0000) >> 16) - 32'h8000;
      sign  = (part3[31]) ? 32'hFFFF_FFFF : 32'd0;
      carry = sign & ((low == 32'd0) ? 32'd1 : 32'd0);
      low   = (low ^ sign) - sign;
      high  = (high ^ sign) + ((mid == 32'd0) ? carry : 32'd0);
      mid   = (mid ^ sign) + carry;
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
      // Exponent field of the result, minus one. A field below 1 becomes a right shift.
      column = scales[i*32+:32];
      field  = field - count + column + scale - 32'd160;
      up     = field[31];
      shift  = up ? -field : 32'd0;
      shift  = (shift > 32'd30) ? 32'd30 : shift;
      field  = up ? 32'd0 : field;
      norm   = (norm >> 1) | (norm & 32'd1) | ((lost != 32'd0) ? 32'd1 : 32'd0);
      kept   = norm >> shift[4:0];
      kept   = kept | (((kept << shift[4:0]) != norm) ? 32'd1 : 32'd0);
      // Round the 24 upper bits to nearest even; the carry runs into the exponent.
      rounded    = (kept + 32'd63 + ((kept >> 7) & 32'd1)) >> 7;
      packed_abs = (field << 23) + rounded;
      packed_abs = (packed_abs > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Inf : packed_abs;
      packed_abs = (top == 32'd0) ? 32'd0 : packed_abs;
      // Results that are not finite.
      flag = flags[i*32+:32] & special;
      nan  = ((flag & mx_pkg::FlagNan) != 32'd0) || (column == {24'd0, mx_pkg::ScaleNan})
          || (scale == {24'd0, mx_pkg::ScaleNan})
          || ((flag & (mx_pkg::FlagPos | mx_pkg::FlagNeg)) == (mx_pkg::FlagPos | mx_pkg::FlagNeg));
      sign = (flag != 32'd0) ? flag << 29 : sign;
      packed_abs  = (flag != 32'd0) ? fp_pkg::Fp32Inf : packed_abs;
      t[i*32+:32] = nan ? fp_pkg::Fp32Nan : ((sign & 32'h8000_0000) | packed_abs);
    end
  endtask

  always_comb begin
    if (en_i) row_scale(sum_i, flags_i, {32{special_i}}, scales_i, {24'd0, scale_i}, t_o);
    else t_o = '0;
  end
endmodule
