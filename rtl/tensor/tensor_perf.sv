// SPDX-License-Identifier: Apache-2.0
// Performance counters. They count from reset and never stop; readers take differences.
module tensor_perf (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    busy_i,
  input  tensor_ctrl_pkg::issue_t issue_i,
  input  logic                    weight_stall_i,
  input  logic                    psum_conflict_i,
  output tensor_pkg::perf_t       perf_o
);
  tensor_pkg::perf_t perf_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      perf_q <= '0;
    end else begin
      perf_q.busy_cycles    <= perf_q.busy_cycles + 64'(busy_i);
      perf_q.load_commands  <= perf_q.load_commands + 64'(issue_i.load);
      perf_q.move_commands  <= perf_q.move_commands + 64'(issue_i.move);
      perf_q.moving_columns <= perf_q.moving_columns + 64'(issue_i.columns);
      perf_q.macs           <= perf_q.macs + 64'(issue_i.macs);
      perf_q.weight_stalls  <= perf_q.weight_stalls + 64'(weight_stall_i);
      perf_q.psum_conflicts <= perf_q.psum_conflicts + 64'(psum_conflict_i);
      perf_q.errors         <= perf_q.errors + 64'(issue_i.error);
    end
  end

  assign perf_o = perf_q;
endmodule
