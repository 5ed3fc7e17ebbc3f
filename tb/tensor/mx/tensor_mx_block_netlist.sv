// SPDX-License-Identifier: Apache-2.0
// In the place of the RTL's module: a block of gates, made with the parameters that the bench has.
module tensor_mx_block #(
  parameter int unsigned Cols       = 8,
  parameter int unsigned Stages     = 1,
  parameter bit          SplitPaths = 0
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  tensor_pkg::mx_load_t  load_i,
  output tensor_pkg::mx_load_t  load_o,
  input  tensor_pkg::mx_move_t  move_i,
  output tensor_pkg::mx_move_t  move_o,
  output logic                  load_req_o,
  output logic                  load_plane_req_o,
  input  logic [1023:0]         load_data_i,
  input  logic [255:0]          load_plane_data_i,
  output logic                  move_req_o,
  output logic                  move_plane_req_o,
  input  logic [255:0]          move_data_i,
  input  logic [127:0]          move_plane_data_i,
  output logic                  scale_load_req_o,
  input  logic [31:0]           scale_load_data_i,
  output logic                  scale_move_req_o,
  input  logic [7:0]            scale_move_data_i,
  output logic                  valid_o,
  output logic                  quad_o,
  output logic                  quad_swap_o,
  output logic                  active_o,
  output logic [7:0]            scale_o,
  output logic [3:0]            special_o,
  output logic [4*Cols*32-1:0]  sum0_o,
  output logic [4*Cols*32-1:0]  sum1_o,
  output logic [4*Cols*32-1:0]  sum2_o,
  output logic [4*Cols*32-1:0]  sum3_o,
  output logic [Cols*32-1:0]    flags0_o,
  output logic [Cols*32-1:0]    flags1_o,
  output logic [Cols*32-1:0]    flags2_o,
  output logic [Cols*32-1:0]    flags3_o,
  output logic [Cols*32-1:0]    scales_o,
  input  logic [Cols*32-1:0]    acc_i,
  output logic [Cols*32-1:0]    acc_o
);
  tensor_mx_block_gates u_gates (.*);
endmodule
