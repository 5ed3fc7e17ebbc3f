// SPDX-License-Identifier: Apache-2.0
// A row of synchronisers: flip-flops in sequence for levels of another clock. Only one bit of
// data_i may change at a time. The boundary for a library's synchroniser cell.
`include "tern_assert.svh"

module cdc_sync #(
  parameter int unsigned Width  = 1,
  parameter int unsigned Stages = 2
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic        [Width-1:0] data_i,
  output logic [Stages*Width-1:0] stages_o  // The last one, for use, uppermost
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stages_o <= '0;
    end else begin
      stages_o <= {stages_o[(Stages-1)*Width-1:0], data_i};
    end
  end

  `TERN_ASSERT_INIT(TwoStages, Stages >= 2)
endmodule
