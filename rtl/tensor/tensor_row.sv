// SPDX-License-Identifier: Apache-2.0
// One row of the array: the weights of one contraction index for all columns, and their multiply-
// adds. Every row is the same module, controlled by the waves that pass through it
// (tensor_pkg).
//
// Local time of the row, for the cycle q in which a wave reaches it:
//   q      address of weights to the SBUF partition; at the end of q the wave's registers for the
//          next row load, and the swap happens
//   q + 1  data arrives; at the end of q + 1 it is in the shadow weights (load), in the
//          accumulators (move), and shadow weights are on the raw bus (drain)
`include "tern_trace.svh"

module tensor_row #(
  parameter int unsigned Cols = 128
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                 [1:0] row_i,  // Constant: the row's number in its group of four
  input  tensor_pkg::load_wave_t     load_i,
  output tensor_pkg::load_wave_t     load_o,
  input  tensor_pkg::tag_wave_t      tag_i,
  output tensor_pkg::tag_wave_t      tag_o,
  input  tensor_pkg::drain_wave_t    drain_i,
  output tensor_pkg::drain_wave_t    drain_o,
  input  tensor_pkg::move_wave_t     wave0_i,
  input  tensor_pkg::move_wave_t     wave1_i,
  input  tensor_pkg::move_wave_t     wave2_i,
  input  tensor_pkg::move_wave_t     wave3_i,
  output tensor_pkg::move_wave_t     wave0_o,
  output tensor_pkg::move_wave_t     wave1_o,
  output tensor_pkg::move_wave_t     wave2_o,
  output tensor_pkg::move_wave_t     wave3_o,
  output logic                       load_req_o,
  output logic [tensor_pkg::AddrW-3:0] load_addr_o,
  input  logic               [127:0] load_data_i,  // Four elements, the first lowest
  output logic                       tag_req_o,
  output logic [tensor_pkg::AddrW-2:0] tag_addr_o,
  input  logic                [15:0] tag_data_i,   // Their positions
  input  logic               [127:0] operand_i,    // Words of the lanes, as in memory
  `TERN_LANES
  input  logic               [511:0] window_i,     // Of four rows
  input  logic       [Cols*32-1:0] acc_i,
  output logic       [Cols*32-1:0] acc_o,
  input  logic       [Cols*32-1:0] raw_i,
  output logic       [Cols*32-1:0] raw_o
  `TERN_LANES_END
);
  localparam int unsigned GroupW = Cols * 8;  // Bits of a column group

  tensor_pkg::load_wave_t load_q;
  tensor_pkg::tag_wave_t tag_q;
  tensor_pkg::drain_wave_t drain_q;
  logic load_in_tile, load_active_q, drain_hit_q, sparse_load, bad;
  logic [3:0] swap, en, active;
  logic single;
  logic [7:0] lane;
  logic [11:0] form;
  logic [4:0] partner0, partner1, partner2, partner3;

  `TERN_LANES
  logic [Cols*32-1:0] shadow_q, weight_q, raw_q;
  `TERN_LANES_END

  assign load_in_tile = load_i.skip == 8'd0 && load_i.left != 8'd0;
  assign load_req_o   = load_i.valid && load_in_tile;
  assign load_addr_o  = load_i.address;
  assign tag_req_o    = load_req_o && tag_i.valid;
  assign tag_addr_o   = tag_i.address;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q        <= '0;
      tag_q         <= '0;
      load_active_q <= 1'b0;
    end else if (load_i.valid || load_q.valid) begin
      load_q        <= load_i;
      load_q.skip   <= (load_i.skip == 8'd0) ? 8'd0 : load_i.skip - 8'd1;
      load_q.left   <= load_in_tile ? load_i.left - 8'd1 : load_i.left;
      tag_q         <= tag_i;
      load_active_q <= load_req_o;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      drain_q     <= '0;
      drain_hit_q <= 1'b0;
    end else if (drain_i.valid || drain_q.valid) begin
      drain_q     <= drain_i;
      drain_q.row <= drain_i.row - 8'd1;
      drain_hit_q <= drain_i.valid && drain_i.row == 8'd0;
    end
  end

  // Positions of a sparse tile.
  assign sparse_load = load_active_q && tag_q.valid;

  always_comb begin
    partner0 = 5'd0;
    partner1 = 5'd0;
    partner2 = 5'd0;
    partner3 = 5'd0;
    if (sparse_load) begin
      partner0 = tensor_operand_pkg::partner(tag_data_i[3:0], tag_q.sparsity, row_i);
      partner1 = tensor_operand_pkg::partner(tag_data_i[7:4], tag_q.sparsity, row_i);
      partner2 = tensor_operand_pkg::partner(tag_data_i[11:8], tag_q.sparsity, row_i);
      partner3 = tensor_operand_pkg::partner(tag_data_i[15:12], tag_q.sparsity, row_i);
    end
    bad = ({partner3[0], partner2[0], partner1[0], partner0[0]} & tag_q.columns) != 4'd0;
  end

  assign load_o = load_q;
  assign tag_o = {tag_q.valid, tag_q.sparsity, tag_q.columns, tag_q.bad || bad, tag_q.address};
  assign drain_o = drain_q;

  // Double-buffered weights: the shadow fills while the multiply runs, the swap wave makes it
  // active.
  always_ff @(posedge clk_i) begin
    if (load_active_q) begin
      shadow_q[load_q.group*128+:128] <= {
        tensor_operand_pkg::weight(load_data_i, 2'd3, load_q.form) | {5'd0, partner3, 22'd0},
        tensor_operand_pkg::weight(load_data_i, 2'd2, load_q.form) | {5'd0, partner2, 22'd0},
        tensor_operand_pkg::weight(load_data_i, 2'd1, load_q.form) | {5'd0, partner1, 22'd0},
        tensor_operand_pkg::weight(load_data_i, 2'd0, load_q.form) | {5'd0, partner0, 22'd0}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (swap == 4'hF) begin
      weight_q <= shadow_q;
    end else if (swap != 4'd0) begin
      for (int unsigned j = 0; j < 4; j++) begin
        if (swap[j]) weight_q[j*GroupW+:GroupW] <= shadow_q[j*GroupW+:GroupW];
      end
    end
  end

  // Transposes leave on a separate bus, parallel to running multiplies.
  always_ff @(posedge clk_i) begin
    if (drain_q.valid) raw_q <= drain_hit_q ? shadow_q : raw_i;
  end

  assign raw_o = raw_q;

  tensor_lanes u_lanes (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .wave0_i (wave0_i),
    .wave1_i (wave1_i),
    .wave2_i (wave2_i),
    .wave3_i (wave3_i),
    .wave0_o (wave0_o),
    .wave1_o (wave1_o),
    .wave2_o (wave2_o),
    .wave3_o (wave3_o),
    .swap_o  (swap),
    .en_o    (en),
    .active_o(active),
    .single_o(single),
    .lane_o  (lane),
    .form_o  (form)
  );

  fma_row #(
    .Lanes(Cols)
  ) u_fma (
    .clk_i   (clk_i),
    .en_i    (en),
    .active_i(active),
    .single_i(single),
    .sparse_i(wave0_o.valid && wave0_o.sparse),
    .pick_i  (lane),
    .form0_i (wave0_o.form),
    .form_i  (form),
    .a_i     (operand_i),
    .window_i(window_i),
    .w_i     (weight_q),
    .c_i     (acc_i),
    .acc_o   (acc_o)
  );
endmodule
