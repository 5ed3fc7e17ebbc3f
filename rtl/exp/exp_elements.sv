// SPDX-License-Identifier: Apache-2.0
// The eight stages for four elements of every partition: x to exp(round(x - m)) in its output
// format. The elements share one row for each stage: joining rows costs the simulator as much as
// computing them.
module exp_elements #(
  parameter  int unsigned Partitions = 128,
  localparam int unsigned RowW       = Partitions * 32
) (
  input  logic              clk_i,
  input  logic        [8:1] take_i,       // Stage s takes a group in this cycle
  input  logic              src_fp16_i,   // Of stage 1's input; neither: binary32
  input  logic              src_bf16_i,
  input  logic        [3:0] present_i,    // Elements of stage 5's input
  input  logic              dst_fp16_i,   // Of stage 6's input
  input  logic              dst_bf16_i,
  input  logic [4*RowW-1:0] x_i,
  input  logic   [RowW-1:0] m_i,          // Of stage 2's input, as exp_subtract_row takes it
  output logic [4*RowW-1:0] e_o,          // Binary32, after stage 5
  output logic [4*RowW-1:0] y_o           // After stage 8
);
  typedef logic [4*RowW-1:0] rows_t;
  rows_t x_q, d_q, drop_q, fraction_q, place_q, place_q4, y_q, out_q6, out_q7;

  exp_widen_row #(.Partitions(4 * Partitions)) u_widen (
    .clk_i  (clk_i),
    .en_i   (take_i[1]),
    .fp16_i (src_fp16_i),
    .bf16_i (src_bf16_i),
    .x_i    (x_i),
    .y_o    (x_q)
  );

  exp_subtract_row #(.Partitions(Partitions), .Elements(4)) u_subtract (
    .clk_i  (clk_i),
    .en_i   (take_i[2]),
    .x_i    (x_q),
    .m_i    (m_i),
    .d_o    (d_q),
    .drop_o (drop_q)
  );

  exp_scale_row #(.Lanes(4 * Partitions)) u_scale (
    .clk_i      (clk_i),
    .en_i       (take_i[3]),
    .d_i        (d_q),
    .drop_i     (drop_q),
    .fraction_o (fraction_q),
    .place_o    (place_q)
  );

  exp_segment_row #(.Lanes(4 * Partitions)) u_segment (
    .clk_i      (clk_i),
    .en_i       (take_i[4]),
    .fraction_i (fraction_q),
    .y_o        (y_q)
  );

  exp_round_row #(.Partitions(Partitions), .Elements(4)) u_round (
    .clk_i     (clk_i),
    .en_i      (take_i[5]),
    .present_i (present_i),
    .y_i       (y_q),
    .place_i   (place_q4),
    .e_o       (e_o)
  );

  exp_narrow_row #(.Lanes(4 * Partitions)) u_narrow (
    .clk_i  (clk_i),
    .en_i   (take_i[6]),
    .fp16_i (dst_fp16_i),
    .bf16_i (dst_bf16_i),
    .e_i    (e_o),
    .y_o    (out_q6)
  );

  always_ff @(posedge clk_i) begin
    if (take_i[4]) place_q4 <= place_q;
    if (take_i[7]) out_q7 <= out_q6;  // Stages 7 and 8: parallel to the sum
    if (take_i[8]) y_o <= out_q7;
  end
endmodule
