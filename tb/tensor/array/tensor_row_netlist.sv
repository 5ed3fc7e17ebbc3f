// SPDX-License-Identifier: Apache-2.0
// In the place of the RTL's module: a row of gates, made with the parameters that the bench has.
module tensor_row #(
  parameter int unsigned Cols       = 16,
  parameter int unsigned Stages     = 1,
  parameter bit          SplitPaths = 0
) (
  input  logic                       clk_i,
  input  logic                 [1:0] row_i,
  input  logic                [31:0] load_i,
  input  logic                [31:0] where_i,
  input  logic                [31:0] tag_i,
  input  logic               [127:0] load_data_i,
  input  logic                [15:0] tag_data_i,
  input  logic                       drain_i,
  input  logic                       drain_hit_i,
  input  logic                 [3:0] swap_i,
  input  tensor_wave_pkg::control_t  control_i,
  input  logic               [127:0] operand_i,
  input  logic               [511:0] window_i,
  input  logic         [Cols*32-1:0] acc_i,
  output logic         [Cols*32-1:0] acc_o,
  input  logic         [Cols*32-1:0] raw_i,
  output logic         [Cols*32-1:0] raw_o
);
  tensor_row_gates u_gates (.*);
endmodule
