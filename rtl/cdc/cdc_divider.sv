// SPDX-License-Identifier: Apache-2.0
// A clock slower by Ratio: one pulse of clk_i out of Ratio, so that its rising edges are rising
// edges of clk_i. edge_o announces them to cdc_down and cdc_up.
`include "tern_assert.svh"

module cdc_divider #(
  parameter int unsigned Ratio = 2,
  localparam int unsigned CountW = $clog2(Ratio)
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic edge_o,     // clk_o rises at the end of this cycle
  output logic clk_o
);
  logic [CountW-1:0] count_q;

  assign edge_o = count_q == CountW'(Ratio - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      count_q <= edge_o ? '0 : count_q + 1'b1;
    end
  end

  cdc_clock_gate u_gate (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .enable_i (edge_o),
    .clk_o    (clk_o)
  );

  `TERN_ASSERT_INIT(RatioAtLeastTwo, Ratio >= 2)
endmodule
