// SPDX-License-Identifier: Apache-2.0
// Delays the starts of multiplies that enter array A at a lower row group. Each leaves Delay cycles
// after it entered, so that all waves in the array keep one skew. A circular memory of the starts,
// each with the cycle in which it is due.
`include "tern_assert.svh"

module tensor_tile_delay #(
  parameter int unsigned Delay = 32,
  parameter int unsigned Depth = 16  // Maximum number of starts in flight
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      push_i,
  input  logic                [1:0] lane_i,
  input  tensor_pkg::move_wave_t    wave_i,
  input  tensor_ctrl_pkg::pattern_t pattern_i,
  output logic                      start_o,
  output logic                [1:0] lane_o,
  output tensor_pkg::move_wave_t    wave_o,
  output tensor_ctrl_pkg::pattern_t pattern_o
);
  localparam int unsigned NowW = $clog2(Delay + 1);
  typedef logic [NowW-1:0] now_t;
  typedef struct packed {
    now_t                      due;
    logic                [1:0] lane;
    tensor_pkg::move_wave_t    wave;
    tensor_ctrl_pkg::pattern_t pattern;
  } entry_t;

  entry_t entry, head;
  logic   head_valid;
  now_t   now_q;

  always_comb begin
    entry = '0;
    if (push_i) begin
      entry.due     = now_q + now_t'(Delay);
      entry.lane    = lane_i;
      entry.wave    = wave_i;
      entry.pattern = pattern_i;
    end
  end

  tern_fifo #(
    .Width($bits(entry)), .Depth(Depth)
  ) u_fifo (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (push_i),
    .data_i (entry),
    .pop_i  (start_o),
    .valid_o(head_valid),
    .data_o (head)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;
    else if (push_i || head_valid) now_q <= now_q + 1'b1;
  end

  assign start_o   = head_valid && head.due == now_q;
  assign lane_o    = head.lane;
  assign wave_o    = head.wave;
  assign pattern_o = head.pattern;

  `TERN_ASSERT_INIT(DelayPositive, Delay >= 1)
endmodule
