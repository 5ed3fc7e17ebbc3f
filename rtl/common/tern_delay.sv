// SPDX-License-Identifier: Apache-2.0
// Delays results by a fixed number of cycles. data_i is there one cycle after valid_i, data_o
// Cycles later; where nothing is valid it stays.
module tern_delay #(
  parameter int unsigned Width  = 32,
  parameter int unsigned Cycles = 1
) (
  input  logic             clk_i,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);
  logic valid_q;
  always_ff @(posedge clk_i) valid_q <= valid_i;

  for (genvar k = 0; k < Cycles; k++) begin : gen_stage
    logic             valid_in, valid_out;
    logic [Width-1:0] data_in, data_out;

    if (k == 0) begin : gen_first
      assign valid_in = valid_q;
      assign data_in  = data_i;
    end else begin : gen_next
      assign valid_in = gen_stage[k-1].valid_out;
      assign data_in  = gen_stage[k-1].data_out;
    end

    tern_stage #(
      .Width(Width)
    ) u_stage (
      .clk_i  (clk_i),
      .valid_i(valid_in),
      .data_i (data_in),
      .valid_o(valid_out),
      .data_o (data_out)
    );
  end

  assign data_o = gen_stage[Cycles-1].data_out;
endmodule
