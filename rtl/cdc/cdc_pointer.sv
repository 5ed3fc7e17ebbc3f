// SPDX-License-Identifier: Apache-2.0
// A pointer into a ring with one bit more than an index, also as a Gray code out of flip-flops: a
// step changes one bit, so that another clock reads the old value or the new one.
`include "tern_assert.svh"

module cdc_pointer #(
  parameter int unsigned Bits = 4
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            step_i,
  output logic [Bits-1:0] value_o,
  output logic [Bits-1:0] gray_o
);
  logic [Bits-1:0] next;
  assign next = value_o + 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      value_o <= '0;
      gray_o  <= '0;
    end else if (step_i) begin
      value_o <= next;
      gray_o  <= next ^ (next >> 1);
    end
  end

  `TERN_ASSERT(GrayOfValue, gray_o == (value_o ^ (value_o >> 1)))
endmodule
