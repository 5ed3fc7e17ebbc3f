// SPDX-License-Identifier: Apache-2.0
// One row of running exact sums (mx_dot_row) with its registers: the sums so far and those of the
// next block, word by word, no carries.
`include "tern_row.svh"
`include "tern_trace.svh"

module mx_run_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic                  clk_i,
  input  logic                  en_i,
  input  logic                  a_special_i,  // The flags of the term count
  input  logic                  b_special_i,
  `TERN_LANES
  input  logic [4*Lanes*32-1:0] a_i,
  input  logic [4*Lanes*32-1:0] b_i,
  input  logic [Lanes*32-1:0]   a_flags_i,
  input  logic [Lanes*32-1:0]   b_flags_i,
  output logic [4*Lanes*32-1:0] sum_o,
  output logic [Lanes*32-1:0]   flags_o,
  `TERN_LANES_END
  output logic                  special_o
);
  typedef logic [Lanes*32-1:0] row_t;
  typedef logic [4*Lanes*32-1:0] sums_t;

  task automatic row_total(`TERN_ROW_IN sums_t a, `TERN_ROW_IN sums_t b, output sums_t y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < 4 * Lanes; i++) begin
      y[i*32+:32] = a[i*32+:32] + b[i*32+:32];
    end
  endtask

  task automatic row_flags(`TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b, input logic [31:0] a_mask,
                           input logic [31:0] b_mask, output row_t y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < Lanes; i++) begin
      y[i*32+:32] = (a[i*32+:32] & a_mask) | (b[i*32+:32] & b_mask);
    end
  endtask

  `TERN_LANES
  sums_t sum, sum_q;
  row_t  flags, flags_q;
  `TERN_LANES_END
  logic  special_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_total(a_i, b_i, sum);
      sum_q     <= sum;
      special_q <= a_special_i || b_special_i;
      if (a_special_i || b_special_i) begin
        row_flags(a_flags_i, b_flags_i, {32{a_special_i}}, {32{b_special_i}}, flags);
        flags_q <= flags;
      end
    end
  end

  assign sum_o     = sum_q;
  assign flags_o   = flags_q;
  assign special_o = special_q;
endmodule
