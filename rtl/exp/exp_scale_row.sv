// SPDX-License-Identifier: Apache-2.0
// Stage 3 for one element of every partition: t = floor(d * log2(e)) in fixed point with 28
// fraction bits. Output place_o is its whole part k plus 160 (and bit 9 for NaN), fraction_o the
// rest.
//
// The special results need no separate path after this stage: 1 is 2^0, infinity 2^128, and a
// place of 8 is so low that rounding leaves +0.
`include "tern_row.svh"

module exp_scale_row #(
  parameter int unsigned Partitions = 128
) (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic [Partitions*32-1:0] d_i,
  output logic [Partitions*32-1:0] fraction_o,
  output logic [Partitions*32-1:0] place_o
);
  typedef logic [Partitions*32-1:0] row_t;

  localparam logic [31:0] LogLow  = {16'd0, exp_table_pkg::Log2e[15:0]};
  localparam logic [31:0] LogHigh = {15'd0, exp_table_pkg::Log2e[32:16]};
  localparam logic [31:0] Mask    = 32'h0FFF_FFFF;
  localparam logic [31:0] PlaceZero = 32'd8, PlaceOne = 32'd160, PlaceInf = 32'd288;
  localparam logic [31:0] PlaceNan  = 32'd288 | 32'h200;

  task automatic row_scale(`TERN_ROW_IN row_t d, output row_t fraction, output row_t place);
    // verilator no_inline_task
    logic [31:0] di, abs, sig, middle1, middle2, lower, upper, cut, by, whole, part, up;
    logic [31:0] short_part, long_part, k, frac, inexact, borrow, special;
    logic        negative, nan, one, infinite, zero;
    for (int unsigned i = 0; i < Partitions; i++) begin
      di       = d[i*32+:32];
      abs      = di & 32'h7FFF_FFFF;
      negative = di[31];
      // Product of 24 and 33 bits in words of 32: upper * 2^28 + lower.
      sig     = (di & 32'h007F_FFFF) | 32'h0080_0000;
      middle1 = (sig >> 12) * LogLow;
      middle2 = (sig & 32'hFFF) * LogHigh;
      lower   = (sig & 32'hFFF) * LogLow + ((middle1 & 32'hFFFF) << 12)
              + ((middle2 & 32'hFFF) << 16);
      upper   = (sig >> 12) * LogHigh + (middle1 >> 16) + (middle2 >> 12) + (lower >> 28);
      lower   = lower & Mask;
      // `cut` bits are dropped: 21 at once, as whole * 2^28 + part, then 0 to 32 more.
      cut   = 32'd154 - (abs >> 23);
      by    = cut - 32'd21;
      whole = upper >> 21;
      part  = ((upper << 7) & Mask) | (lower >> 21);
      up    = 32'd28 - (by & 32'd7);
      short_part  = ((whole << up[4:0]) | (part >> by[2:0])) & Mask;
      long_part   = by - 32'd8;
      long_part   = ((whole << 20) | (part >> 8)) >> long_part[4:0];
      k     = (by < 32'd8) ? whole >> by[2:0] : 32'd0;
      frac  = (by < 32'd8) ? short_part : long_part;
      // Towards minus infinity. Log2e is odd: the product and the significand have equally many
      // trailing zeros.
      cut     = (cut > 32'd31) ? 32'd31 : cut;
      inexact = ((sig & ((32'd1 << cut[4:0]) - 32'd1)) != 32'd0) ? 32'd1 : 32'd0;
      borrow  = ((frac | inexact) != 32'd0) ? 32'd1 : 32'd0;
      k       = negative ? 32'd0 - k - borrow : k;
      frac    = negative ? (32'd0 - frac - inexact) & Mask : frac;
      one      = abs < exp_table_pkg::UnityBelow;
      infinite = !negative && abs >= exp_table_pkg::FirstOverflow;
      zero     = negative && abs > (exp_table_pkg::LastNonzero & 32'h7FFF_FFFF);
      nan      = abs > fp_pkg::Fp32Inf;
      special  = nan ? PlaceNan : infinite ? PlaceInf : zero ? PlaceZero : one ? PlaceOne : 32'd0;
      fraction[i*32+:32] = (special != 32'd0) ? 32'd0 : frac;
      place[i*32+:32]    = (special != 32'd0) ? special : k + 32'd160;
    end
  endtask

  row_t fraction_d, place_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_scale(d_i, fraction_d, place_d);
      fraction_o <= fraction_d;
      place_o    <= place_d;
    end
  end
endmodule
