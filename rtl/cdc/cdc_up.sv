// SPDX-License-Identifier: Apache-2.0
// Words from a slower clock to the one from which it is derived: up to Ratio words come together
// and leave one by one. All registers have the fast clock. ready_o changes only with edges of the
// slow clock: a whole slow cycle remains for it.
`include "tern_assert.svh"

module cdc_up #(
  parameter int unsigned Width = 8,
  parameter int unsigned Ratio = 2,
  localparam int unsigned CountW = $clog2(Ratio + 1)
) (
  input  logic                   clk_i,    // The fast clock
  input  logic                   rst_ni,
  input  logic                   edge_i,   // The slow clock rises at the end of this cycle
  // Slow side.
  input  logic                   valid_i,
  output logic                   ready_o,
  input  logic      [CountW-1:0] count_i,  // 1 to Ratio words
  input  logic [Ratio*Width-1:0] data_i,   // The first one lowest
  // Fast side.
  output logic                   valid_o,
  input  logic                   ready_i,
  output logic       [Width-1:0] data_o
);
  // Room for what is leaving and for what comes at the next edge.
  localparam int unsigned Slots = 2 * Ratio;
  localparam int unsigned FillW = $clog2(Slots + 1);

  logic [Slots*Width-1:0] words_q, words;
  logic [FillW-1:0]       fill_q, left, fill;
  logic                   push, pop;

  assign valid_o = fill_q != '0;
  assign data_o  = words_q[Width-1:0];
  assign pop     = valid_o && ready_i;
  assign push    = edge_i && valid_i && ready_o;
  assign left    = fill_q - FillW'(pop);
  assign fill    = left + (push ? FillW'(count_i) : '0);

  always_comb begin
    words = pop ? {{Width{1'b0}}, words_q[Slots*Width-1:Width]} : words_q;
    for (int unsigned i = 0; i <= Ratio; i++) begin
      if (push && left == FillW'(i)) words[i*Width+:Ratio*Width] = data_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_q  <= '0;
      ready_o <= 1'b1;
    end else begin
      fill_q <= fill;
      if (edge_i) ready_o <= fill <= FillW'(Ratio);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push || pop) words_q <= words;
  end

  `TERN_ASSERT_INIT(RatioAtLeastTwo, Ratio >= 2)
  `TERN_ASSERT(CountInRange, !valid_i || (count_i != '0 && count_i <= CountW'(Ratio)))

`ifdef FORMAL
`include "cdc_up_properties.svh"
`endif
endmodule
