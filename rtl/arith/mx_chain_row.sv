// SPDX-License-Identifier: Apache-2.0
// One step of a chain of blocks for one row, with its result register: the exact sums of four terms
// (mx_dot_row) are added, scaled and rounded, t = round(B * 2^(sa - 127) * 2^(sb - 127)), and the
// accumulator becomes round(acc + t). Both roundings are to binary32, nearest even, with gradual
// underflow and overflow to infinity; an exact zero is +0.
`include "tern_row.svh"
`include "tern_trace.svh"

module mx_chain_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic                  clk_i,
  input  logic                  en_i,       // acc_o takes a result this cycle
  input  logic                  active_i,   // Otherwise passes acc_i through untouched
  input  logic [7:0]            scale_i,    // Of the moving operand, the same for all lanes
  input  logic [3:0]            special_i,  // The flags of the term count
  `TERN_LANES
  input  logic [4*Lanes*32-1:0] a_i,        // Word k, lane i at k*Lanes + i
  input  logic [4*Lanes*32-1:0] b_i,
  input  logic [4*Lanes*32-1:0] c_i,
  input  logic [4*Lanes*32-1:0] d_i,
  input  logic [Lanes*32-1:0]   a_flags_i,  // mx_pkg::Flag*
  input  logic [Lanes*32-1:0]   b_flags_i,
  input  logic [Lanes*32-1:0]   c_flags_i,
  input  logic [Lanes*32-1:0]   d_flags_i,
  input  logic [Lanes*32-1:0]   scales_i,   // Of the stationary operand, a byte in each word
  input  logic [Lanes*32-1:0]   acc_i,
  output logic [Lanes*32-1:0]   acc_o
  `TERN_LANES_END
);
  typedef logic [Lanes*32-1:0] row_t;
  typedef logic [4*Lanes*32-1:0] sums_t;

  // One lane's scaled block sum.
  function automatic logic [31:0] lane_scale(
    input logic [31:0] word0, input logic [31:0] word1, input logic [31:0] word2,
    input logic [31:0] word3, input logic [31:0] flag, input logic [31:0] column,
    input logic [31:0] scale);
    logic [31:0] part0, part1, part2, part3, low, mid, high, sign, carry;
    logic [31:0] top, next, norm, lost, count, field, shift, kept, rounded, packed_abs;
    logic        up, nan;
    // Carries between the words: 16 bits each, the last one signed. The arithmetic shift of a
    // 32-bit word is written as a logical one, with the sign handled separately.
    part0 = word0;
    part1 = word1 + ((part0 + 32'h8000_0000) >> 16) - 32'h8000;
    part2 = word2 + ((part1 + 32'h8000_0000) >> 16) - 32'h8000;
    part3 = word3 + ((part2 + 32'h8000_0000) >> 16) - 32'h8000;
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
    nan  = ((flag & mx_pkg::FlagNan) != 32'd0) || (column == {24'd0, mx_pkg::ScaleNan})
        || (scale == {24'd0, mx_pkg::ScaleNan})
        || ((flag & (mx_pkg::FlagPos | mx_pkg::FlagNeg)) == (mx_pkg::FlagPos | mx_pkg::FlagNeg));
    sign = (flag != 32'd0) ? flag << 29 : sign;
    packed_abs  = (flag != 32'd0) ? fp_pkg::Fp32Inf : packed_abs;
    lane_scale = nan ? fp_pkg::Fp32Nan : ((sign & 32'h8000_0000) | packed_abs);
  endfunction

  task automatic row_flags(`TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b, `TERN_ROW_IN row_t c,
                           `TERN_ROW_IN row_t d, input logic [3:0] special,
                           output row_t y);
    // verilator no_inline_task
    logic [31:0] am, bm, cm, dm;
    am = {32{special[0]}};
    bm = {32{special[1]}};
    cm = {32{special[2]}};
    dm = {32{special[3]}};
    for (int unsigned i = 0; i < Lanes; i++) begin
      y[i*32+:32] = (a[i*32+:32] & am) | (b[i*32+:32] & bm) | (c[i*32+:32] & cm)
                  | (d[i*32+:32] & dm);
    end
  endtask

  task automatic row_chain(`TERN_ROW_IN sums_t a, `TERN_ROW_IN sums_t b, `TERN_ROW_IN sums_t c,
                           `TERN_ROW_IN sums_t d, `TERN_ROW_IN row_t flags,
                           input logic [31:0] flags_mask, `TERN_ROW_IN row_t scales,
                           input logic [31:0] scale, `TERN_ROW_IN row_t acc, output row_t y);
    // verilator no_inline_task
    logic [31:0] word0, word1, word2, word3, t;
    for (int unsigned i = 0; i < Lanes; i++) begin
      // Word by word, no carries.
      word0 = a[i*32+:32] + b[i*32+:32] + c[i*32+:32] + d[i*32+:32];
      word1 = a[(1*Lanes+i)*32+:32] + b[(1*Lanes+i)*32+:32]
            + c[(1*Lanes+i)*32+:32] + d[(1*Lanes+i)*32+:32];
      word2 = a[(2*Lanes+i)*32+:32] + b[(2*Lanes+i)*32+:32]
            + c[(2*Lanes+i)*32+:32] + d[(2*Lanes+i)*32+:32];
      word3 = a[(3*Lanes+i)*32+:32] + b[(3*Lanes+i)*32+:32]
            + c[(3*Lanes+i)*32+:32] + d[(3*Lanes+i)*32+:32];
      t = lane_scale(word0, word1, word2, word3, flags[i*32+:32] & flags_mask, scales[i*32+:32],
                     scale);
      y[i*32+:32] = fp_pkg::add(acc[i*32+:32], t);
    end
  endtask

  `TERN_LANES
  row_t acc_q, flags, result;
  `TERN_LANES_END

  // All in the clocked block: defaults of unclocked rows would cost the simulator as much as the
  // work. Flags are rare.
  always_ff @(posedge clk_i) begin
    if (en_i && !active_i) begin
      acc_q <= acc_i;
    end else if (en_i && special_i != 4'd0) begin
      row_flags(a_flags_i, b_flags_i, c_flags_i, d_flags_i, special_i, flags);
      row_chain(a_i, b_i, c_i, d_i, flags, 32'hFFFF_FFFF, scales_i, {24'd0, scale_i}, acc_i,
                result);
      acc_q <= result;
    end else if (en_i) begin
      row_chain(a_i, b_i, c_i, d_i, a_flags_i, 32'd0, scales_i, {24'd0, scale_i}, acc_i, result);
      acc_q <= result;
    end
  end

  assign acc_o = acc_q;
endmodule
