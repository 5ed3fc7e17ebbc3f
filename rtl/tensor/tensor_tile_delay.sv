// SPDX-License-Identifier: Apache-2.0
// Delays the starts of multiplies that enter an array at a lower row group. Each leaves Delay
// cycles after it entered, so that all waves in the array keep one skew. A circular memory of the
// starts, each with the cycle in which it is due.
`include "tern_assert.svh"

module tensor_tile_delay #(
  parameter int unsigned Width = 8,
  parameter int unsigned Delay = 32,
  parameter int unsigned Depth = 16  // Maximum number of starts in flight
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] data_i,   // What the start carries
  output logic             start_o,
  output logic [Width-1:0] data_o
);
  localparam int unsigned NowW = $clog2(Delay + 1);
  typedef logic [NowW-1:0] now_t;
  typedef struct packed {
    now_t             due;
    logic [Width-1:0] data;
  } entry_t;

  entry_t entry, head;
  logic   head_valid;
  now_t   now_q;

  always_comb begin
    entry = '0;
    if (push_i) begin
      entry.due  = now_q + now_t'(Delay);
      entry.data = data_i;
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

  assign start_o = head_valid && head.due == now_q;
  assign data_o  = head.data;

  `TERN_ASSERT_INIT(DelayPositive, Delay >= 1)
endmodule
