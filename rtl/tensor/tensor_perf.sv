// SPDX-License-Identifier: Apache-2.0
// Performance counters. They count from reset and never stop; readers take differences.
module tensor_perf (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              busy_i,
  input  logic              load_i,          // a LoadStationary issues
  input  logic              move_i,          // a MultiplyMoving issues
  input  logic              error_i,         // a command is rejected
  // Rows * cols of the moving column entering the array, 0 if none.
  input  logic [15:0]       macs_i,
  input  logic              column_i,        // a moving column enters the array
  input  logic              weight_stall_i,
  input  logic              psum_conflict_i,
  output tensor_pkg::perf_t perf_o
);
  tensor_pkg::perf_t perf_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      perf_q <= '0;
    end else begin
      perf_q.busy_cycles    <= perf_q.busy_cycles + 64'(busy_i);
      perf_q.load_commands  <= perf_q.load_commands + 64'(load_i);
      perf_q.move_commands  <= perf_q.move_commands + 64'(move_i);
      perf_q.moving_columns <= perf_q.moving_columns + 64'(column_i);
      perf_q.macs           <= perf_q.macs + 64'(macs_i);
      perf_q.weight_stalls  <= perf_q.weight_stalls + 64'(weight_stall_i);
      perf_q.psum_conflicts <= perf_q.psum_conflicts + 64'(psum_conflict_i);
      perf_q.errors         <= perf_q.errors + 64'(error_i);
    end
  end

  assign perf_o = perf_q;
endmodule
