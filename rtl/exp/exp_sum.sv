// SPDX-License-Identifier: Apache-2.0
// Stages 6 to 8 of the running sums: acc = acc + ((e0 + e1) + (e2 + e3)) in every partition, each
// addition rounded once. Missing elements enter as +0.
`include "tern_row.svh"

module exp_sum #(
  parameter  int unsigned Partitions = 128,
  localparam int unsigned RowW       = Partitions * 32
) (
  input  logic              clk_i,
  input  logic              en_i,     // The pipeline moves
  input  logic        [2:0] sum_i,    // The group before stage 6, 7, 8 takes part
  input  logic              load_i,   // The group before stage 8 starts from first_i
  input  logic   [RowW-1:0] first_i,
  input  logic [4*RowW-1:0] e_i,
  output logic   [RowW-1:0] acc_o     // After stage 8
);
  typedef logic [RowW-1:0] row_t;

  logic [2*RowW-1:0] pairs_q;
  row_t              group_q, acc_d;

  exp_add_row #(.Partitions(Partitions), .Sums(2)) u_pairs (
    .clk_i (clk_i),
    .en_i  (en_i && sum_i[0]),
    .x_i   (e_i),
    .y_o   (pairs_q)
  );
  exp_add_row #(.Partitions(Partitions), .Sums(1)) u_group (
    .clk_i (clk_i),
    .en_i  (en_i && sum_i[1]),
    .x_i   (pairs_q),
    .y_o   (group_q)
  );

  task automatic row_add(`TERN_ROW_IN row_t base, `TERN_ROW_IN row_t group, output row_t acc);
    // verilator no_inline_task
    for (int unsigned i = 0; i < Partitions; i++) begin
      acc[i*32+:32] = fp_pkg::add(base[i*32+:32], group[i*32+:32]);
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i && sum_i[2]) begin
      if (load_i) row_add(first_i, group_q, acc_d);
      else row_add(acc_o, group_q, acc_d);
      acc_o <= acc_d;
    end
  end
endmodule
