// SPDX-License-Identifier: Apache-2.0
// Both forms of fma_row (SplitPaths) side by side, for a proof that they give the same bits in the
// same cycles. A row has four lanes here, one of each column group.
//
// Case 0: one moving factor for the whole row, as waves drive it that have all column groups.
// Case 1: everything else. The cases are constants: in each of them both forms compute the same
// steps with the same operands, which Yosys merges before it proves the rest.
module fma_row_equal #(
  parameter int unsigned Case   = 0,
  parameter int unsigned Stages = 1
) (
  input logic         clk_i,
  input logic   [3:0] en_i,
  input logic   [3:0] active_i,
  input logic         single_i,
  input logic         sparse_i,
  input logic   [7:0] pick_i,
  input logic  [11:0] form_i,
  input logic [127:0] a_i,
  input logic [511:0] window_i,
  input logic [127:0] w_i,
  input logic [127:0] c_i
);
  logic   [3:0] en, active;
  logic         single, sparse;
  logic   [7:0] pick;
  logic [127:0] split_acc, lanes_acc;

  if (Case == 0) begin : gen_single
    assign en     = {4{en_i[0]}};
    assign active = {4{active_i[0] && en_i[0]}};
    assign single = en_i[0];
    assign sparse = 1'b0;
    assign pick   = 8'd0;
  end else begin : gen_mixed
    assign en     = en_i;
    assign active = active_i & en_i;
    assign single = single_i && sparse_i;
    assign sparse = sparse_i;
    assign pick   = pick_i;
  end

  fma_row #(
    .Lanes     (4),
    .Stages    (Stages),
    .SplitPaths(1'b1)
  ) u_split (
    .clk_i   (clk_i),
    .en_i    (en),
    .active_i(active),
    .single_i(single),
    .sparse_i(sparse),
    .pick_i  (pick),
    .form0_i (form_i[2:0]),
    .form_i  (form_i),
    .a_i     (a_i),
    .window_i(window_i),
    .w_i     (w_i),
    .c_i     (c_i),
    .acc_o   (split_acc)
  );

  fma_row #(
    .Lanes     (4),
    .Stages    (Stages),
    .SplitPaths(1'b0)
  ) u_lanes (
    .clk_i   (clk_i),
    .en_i    (en),
    .active_i(active),
    .single_i(single),
    .sparse_i(sparse),
    .pick_i  (pick),
    .form0_i (form_i[2:0]),
    .form_i  (form_i),
    .a_i     (a_i),
    .window_i(window_i),
    .w_i     (w_i),
    .c_i     (c_i),
    .acc_o   (lanes_acc)
  );

  // From the first result of a lane on; the words before it are those of its registers at power-up.
  logic [3:0][Stages-1:0] f_way = '0;
  logic [3:0] f_seen = '0;
  for (genvar j = 0; j < 4; j++) begin : gen_lane
    always_ff @(posedge clk_i) begin
      f_way[j]  <= Stages'({f_way[j], en[j]});
      f_seen[j] <= f_seen[j] || f_way[j][Stages-1];
    end
    always_comb begin
      if (f_way[j][Stages-1] || f_seen[j]) begin
        assert (split_acc[j*32+:32] == lanes_acc[j*32+:32]);
      end
    end
  end
endmodule
