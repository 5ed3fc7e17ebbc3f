// SPDX-License-Identifier: Apache-2.0
// A row of multiply-adds and a row of chains of blocks with every number of stages, in both forms
// (SplitPaths), at the same inputs. Result n: Stages of 1, 3, 5 in lanes, then of 1, 3, 5 in rows.
module stages_probe (
  input  logic         clk_i,
  input  logic         rst_ni,     // Rows have no reset: nothing is taken
  input  logic   [3:0] en_i,       // Of the multiply-adds
  input  logic   [3:0] active_i,
  input  logic         single_i,
  input  logic         sparse_i,
  input  logic   [7:0] pick_i,
  input  logic  [11:0] form_i,
  input  logic [127:0] a_i,
  input  logic [511:0] window_i,
  input  logic [127:0] w_i,
  input  logic [127:0] c_i,
  output logic [767:0] fma_o,      // Result n at 128n
  input  logic         mx_en_i,    // Of the chains
  input  logic         mx_active_i,
  input  logic   [7:0] scale_i,
  input  logic   [3:0] special_i,
  input  logic [511:0] sum0_i,
  input  logic [511:0] sum1_i,
  input  logic [511:0] sum2_i,
  input  logic [511:0] sum3_i,
  input  logic  [11:0] flags_i,    // Three of each sum, for all lanes
  input  logic [127:0] scales_i,
  output logic [767:0] mx_o
);
  for (genvar n = 0; n < 6; n++) begin : gen_row
    localparam int unsigned Stages = 2 * (n % 3) + 1;

    fma_row #(
      .Lanes     (4),
      .Stages    (Stages),
      .SplitPaths(1'(n / 3))
    ) u_fma (
      .clk_i   (clk_i),
      .en_i    (en_i & {4{rst_ni}}),
      .active_i(active_i),
      .single_i(single_i),
      .sparse_i(sparse_i),
      .pick_i  (pick_i),
      .form0_i (form_i[2:0]),
      .form_i  (form_i),
      .a_i     (a_i),
      .window_i(window_i),
      .w_i     (w_i),
      .c_i     (c_i),
      .acc_o   (fma_o[128*n+:128])
    );

    mx_chain_row #(
      .Lanes     (4),
      .Stages    (Stages),
      .SplitPaths(1'(n / 3))
    ) u_chain (
      .clk_i    (clk_i),
      .en_i     (mx_en_i && rst_ni),
      .active_i (mx_active_i),
      .scale_i  (scale_i),
      .special_i(special_i),
      .a_i      (sum0_i),
      .b_i      (sum1_i),
      .c_i      (sum2_i),
      .d_i      (sum3_i),
      .a_flags_i({4{29'd0, flags_i[0+:3]}}),
      .b_flags_i({4{29'd0, flags_i[3+:3]}}),
      .c_flags_i({4{29'd0, flags_i[6+:3]}}),
      .d_flags_i({4{29'd0, flags_i[9+:3]}}),
      .scales_i (scales_i),
      .acc_i    (c_i),
      .acc_o    (mx_o[128*n+:128])
    );
  end
endmodule
