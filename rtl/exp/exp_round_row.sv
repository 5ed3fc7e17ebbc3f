// SPDX-License-Identifier: Apache-2.0
// Stage 5: y * 2^k, rounded once to binary32, to nearest even, subnormals kept. Absent elements are
// +0.
`include "tern_row.svh"

module exp_round_row #(
  parameter int unsigned Partitions = 128,
  parameter int unsigned Elements   = 4
) (
  input  logic                              clk_i,
  input  logic                              en_i,
  input  logic               [Elements-1:0] present_i,
  input  logic [Elements*Partitions*32-1:0] y_i,
  input  logic [Elements*Partitions*32-1:0] place_i,  // As exp_scale_row gives it
  output logic [Elements*Partitions*32-1:0] e_o
);
  typedef logic [Elements*Partitions*32-1:0] rows_t;

  task automatic row_round(`TERN_ROW_IN rows_t y, `TERN_ROW_IN rows_t place,
                           input logic [Elements-1:0] present, output rows_t e);
    // verilator no_inline_task
    logic [31:0] limit, quiet;
    for (int unsigned q = 0; q < Elements; q++) begin
      limit = present[q] ? fp_pkg::Fp32Inf : 32'd0;
      quiet = present[q] ? fp_pkg::Fp32Nan : 32'd0;
      for (int unsigned i = 0; i < Partitions; i++) begin
        e[(q*Partitions+i)*32+:32] = exp_lane_pkg::round(
            y[(q*Partitions+i)*32+:32], place[(q*Partitions+i)*32+:32], limit, quiet);
      end
    end
  endtask

  rows_t e_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_round(y_i, place_i, present_i, e_d);
      e_o <= e_d;
    end
  end
endmodule
