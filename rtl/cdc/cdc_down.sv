// SPDX-License-Identifier: Apache-2.0
// Words from a clock to a slower one derived from it, at the full rate of the faster one: up to
// Ratio words leave together. All registers have the fast clock. What the slow side reads changes
// only with its own edges: a whole slow cycle remains for it.
`include "tern_assert.svh"

module cdc_down #(
  parameter int unsigned Width = 8,
  parameter int unsigned Ratio = 2,
  localparam int unsigned CountW = $clog2(Ratio + 1)
) (
  input  logic                   clk_i,    // The fast clock
  input  logic                   rst_ni,
  input  logic                   edge_i,   // The slow clock rises at the end of this cycle
  // Fast side.
  input  logic                   valid_i,
  output logic                   ready_o,
  input  logic       [Width-1:0] data_i,
  // Slow side.
  output logic                   valid_o,
  input  logic                   ready_i,
  output logic      [CountW-1:0] count_o,  // Words that are valid
  output logic [Ratio*Width-1:0] data_o    // The first one lowest
);
  logic [Ratio*Width-1:0] words_q, words;
  logic [CountW-1:0]      count_q, count;
  logic                   full, move, take;

  assign full    = count_q == CountW'(Ratio);
  assign move    = edge_i && (!valid_o || ready_i);
  assign ready_o = !full || move;
  assign take    = valid_i && ready_o;
  assign valid_o = count_o != '0;

  // What is gathered, with the word of this cycle if there is room for it.
  always_comb begin
    words = words_q;
    for (int unsigned i = 0; i < Ratio; i++) begin
      if (count_q == CountW'(i)) words[i*Width+:Width] = data_i;
    end
    count = count_q + CountW'(take && !full);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      count_o <= '0;
    end else if (move) begin
      count_q <= CountW'(take && full);
      count_o <= count;
    end else begin
      count_q <= count;
    end
  end

  // A full buffer leaves in the cycle in which the next word comes: that one begins a new one.
  always_ff @(posedge clk_i) begin
    if (take) words_q <= full ? {words_q[Ratio*Width-1:Width], data_i} : words;
    if (move) data_o <= words;
  end

  `TERN_ASSERT_INIT(RatioAtLeastTwo, Ratio >= 2)

`ifdef FORMAL
`include "cdc_down_properties.svh"
`endif
endmodule
