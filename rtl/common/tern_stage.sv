// SPDX-License-Identifier: Apache-2.0
// A place for a pipeline register between two steps of a data path: a register, or wires. A
// register takes a word only if it is valid, so that idle stages do not toggle. Nothing is reset:
// what is in flight ends within as many cycles as there are stages.
module tern_stage #(
  parameter int unsigned Width    = 32,
  parameter bit          Register = 1'b1
) (
  input  logic             clk_i,
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o
);
  if (Register) begin : gen_register
    logic             valid_q;
    logic [Width-1:0] data_q;

    always_ff @(posedge clk_i) begin
      valid_q <= valid_i;
      if (valid_i) data_q <= data_i;
    end

    assign valid_o = valid_q;
    assign data_o  = data_q;
  end else begin : gen_wires
    assign valid_o = valid_i;
    assign data_o  = data_i;
  end
endmodule
