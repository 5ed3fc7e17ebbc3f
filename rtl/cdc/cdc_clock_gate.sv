// SPDX-License-Identifier: Apache-2.0
// A gated clock without glitches: the enable of a cycle decides about the pulse that follows it.
// The boundary for a library's clock gating cell.
module cdc_clock_gate (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,
  output logic clk_o
);
  logic enable_q;

  // Changes while the clock is low.
  always_ff @(negedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q <= 1'b0;
    end else begin
      enable_q <= enable_i;
    end
  end

  assign clk_o = clk_i && enable_q;
endmodule
