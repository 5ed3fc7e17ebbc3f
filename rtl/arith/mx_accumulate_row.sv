// SPDX-License-Identifier: Apache-2.0
// One step of a chain of blocks for one row, combinational: acc + t, where t is the scaled block
// sum, each rounded once.
`include "tern_trace.svh"

module mx_accumulate_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic                  en_i,       // acc_o is 0 otherwise
  input  logic [7:0]            scale_i,    // Of the moving operand
  input  logic                  special_i,  // flags_i counts
  `TERN_LANES
  input  logic [4*Lanes*32-1:0] sum_i,      // See mx_dot_row
  input  logic [Lanes*32-1:0]   flags_i,
  input  logic [Lanes*32-1:0]   scales_i,   // Of the stationary operand
  input  logic [Lanes*32-1:0]   acc_i,
  output logic [Lanes*32-1:0]   acc_o
  `TERN_LANES_END
);
  `TERN_LANES
  logic [Lanes*32-1:0] t;
  `TERN_LANES_END

  mx_scale_row #(
    .Lanes(Lanes)
  ) u_scale (
    .en_i     (en_i),
    .scale_i  (scale_i),
    .special_i(special_i),
    .sum_i    (sum_i),
    .flags_i  (flags_i),
    .scales_i (scales_i),
    .t_o      (t)
  );

  fadd_row #(
    .Lanes(Lanes)
  ) u_add (
    .en_i(en_i),
    .a_i (acc_i),
    .b_i (t),
    .y_o (acc_o)
  );
endmodule
