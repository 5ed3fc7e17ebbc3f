// SPDX-License-Identifier: Apache-2.0
// Stage 2: d = round(x - m), a single rounding to binary32.
//
// The result is not normalised but aligned: d = +-sig * 2^-(17 + drop). Bits 24:0 of d_o are sig,
// at most 2^24, bit 31 is the sign; drop_o has bit 9 set for NaN. From 128 on, |d| is 128: its
// exponential is infinite or 0. Far below 2^-26, where the exponential is 1, the last bits of d are
// not those of binary32.
`include "tern_row.svh"

module exp_subtract_row #(
  parameter int unsigned Partitions = 128,
  parameter int unsigned Elements   = 4
) (
  input  logic                              clk_i,
  input  logic                              en_i,
  input  logic [Elements*Partitions*32-1:0] x_i,      // Binary32
  input  logic          [Partitions*32-1:0] m_i,      // Binary32, its sign moved to bit 0
  output logic [Elements*Partitions*32-1:0] d_o,
  output logic [Elements*Partitions*32-1:0] drop_o
);
  typedef logic [Elements*Partitions*32-1:0] rows_t;
  typedef logic          [Partitions*32-1:0] row_t;

  task automatic row_subtract(`TERN_ROW_IN rows_t x, `TERN_ROW_IN row_t m, output rows_t d,
                              output rows_t drop);
    // verilator no_inline_task
    logic [31:0] xi, a, b, greater, lesser, g_sig, l_sig, shift, kept, sum, exponent, left, limit;
    logic [31:0] rounded;
    logic        opposite, less, nan;
    for (int unsigned q = 0; q < Elements; q++) begin
      for (int unsigned i = 0; i < Partitions; i++) begin
        // Magnitude in bits 31:1 and the inverted sign, which is the sign of m, in bit 0. Of equal
        // magnitudes the positive one is the greater: x - x is +0.
        xi       = x[(q*Partitions+i)*32+:32];
        a        = ((xi << 1) | (xi >> 31)) ^ 32'd1;
        b        = m[i*32+:32];
        greater  = (a > b) ? a : b;
        lesser   = (a > b) ? b : a;
        // Significands with three more bits; those lost by the smaller are jammed into its last
        // one. Zero and subnormals count as 2^-127 and above: too small to matter.
        g_sig    = ((greater << 2) & 32'h03FF_FFF8) | 32'h0400_0000;
        l_sig    = ((lesser << 2) & 32'h03FF_FFF8) | 32'h0400_0000;
        shift    = (greater >> 24) - (lesser >> 24);
        shift    = (shift > 32'd31) ? 32'd31 : shift;
        kept     = l_sig >> shift[4:0];
        kept     = ((kept << shift[4:0]) != l_sig) ? kept | 32'd1 : kept;
        opposite = ((greater ^ lesser) & 32'd1) != 32'd0;
        sum      = opposite ? g_sig - kept : g_sig + kept;
        // Bits are lost only if the leading one is in the last three places; below, sum is exact.
        exponent = (greater >> 24) + 32'd124;
        less     = sum < 32'h0800_0000;
        sum      = less ? sum << 1 : sum;
        exponent = less ? exponent - 32'd1 : exponent;
        less     = sum < 32'h0800_0000;
        sum      = less ? sum << 1 : sum;
        exponent = less ? exponent - 32'd1 : exponent;
        rounded  = (sum + 32'd7 + ((sum >> 4) & 32'd1)) >> 4;
        // Exponent 256: units of 2^-17. A difference of large numbers moves up, at most to 2^24.
        left     = (exponent > 32'd256) ? exponent - 32'd256 : 32'd0;
        left     = (left > 32'd31) ? 32'd31 : left;
        limit    = 32'h8000_0000 >> left[4:0];
        rounded  = (rounded > limit) ? limit : rounded;
        rounded  = rounded << left[4:0];
        rounded  = (rounded > 32'h0100_0000) ? 32'h0100_0000 : rounded;
        nan      = greater > 32'hFF00_0001 || (opposite && lesser > 32'hFEFF_FFFF);
        shift    = (exponent < 32'd256) ? 32'd256 - exponent : 32'd0;
        d[(q*Partitions+i)*32+:32]    = rounded | (~(greater << 31) & 32'h8000_0000);
        drop[(q*Partitions+i)*32+:32] = nan ? shift | 32'h200 : shift;
      end
    end
  endtask

  rows_t d_d, drop_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_subtract(x_i, m_i, d_d, drop_d);
      d_o    <= d_d;
      drop_o <= drop_d;
    end
  end
endmodule
