// SPDX-License-Identifier: Apache-2.0
// Waves between two rows of array A: what is in data_i reaches the next row Cycles later. Idle
// while nothing is on its way.
module tensor_row_wait #(
  parameter int unsigned Width  = 32,
  parameter int unsigned Cycles = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             busy_i,  // There is a wave in data_i
  input  logic [Width-1:0] data_i,
  output logic             busy_o,  // There is one here
  output logic [Width-1:0] data_o
);
  logic [Cycles-1:0] busy_q;

  assign busy_o = busy_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= '0;
    else busy_q <= Cycles'({busy_q, busy_i});
  end

  for (genvar k = 0; k < Cycles; k++) begin : gen_cycle
    logic [Width-1:0] data, data_q;

    if (k == 0) begin : gen_first
      assign data = data_i;
    end else begin : gen_next
      assign data = gen_cycle[k-1].data_q;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) data_q <= '0;
      else if (busy_i || busy_o) data_q <= data;
    end
  end

  assign data_o = gen_cycle[Cycles-1].data_q;
endmodule
