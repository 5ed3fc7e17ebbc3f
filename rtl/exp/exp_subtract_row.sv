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
    logic [31:0] sum, exponent, sign, di, by;
    logic        nan;
    for (int unsigned q = 0; q < Elements; q++) begin
      for (int unsigned i = 0; i < Partitions; i++) begin
        exp_lane_pkg::difference(x[(q*Partitions+i)*32+:32], m[i*32+:32], sum, exponent, sign, nan);
        exp_lane_pkg::align(sum, exponent, sign, nan, di, by);
        d[(q*Partitions+i)*32+:32]    = di;
        drop[(q*Partitions+i)*32+:32] = by;
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
