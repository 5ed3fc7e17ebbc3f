// SPDX-License-Identifier: Apache-2.0
// One row of the array: the weights of one contraction index for all columns, and their multiply-
// adds. Every row is the same module, controlled by the waves that pass through it
// (tensor_wave_lane, tensor_load_rows, tensor_drain_rows).
//
// Local time of the row, for the cycle q in which a wave reaches it:
//   q      address of weights to the SBUF partition; at the end of q the swap happens
//   q + 1  data arrives; at the end of q + 1 it is in the shadow weights (load)
//   q + Stages  at the end the sum is in the accumulators (move), and shadow weights are on the raw
//          bus (drain)
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_row #(
  parameter int unsigned Cols       = 128,
  parameter int unsigned Stages     = 1,                 // fma_row
  parameter bit          SplitPaths = `TERN_SPLIT_PATHS  // fma_row
) (
  input  logic                       clk_i,
  input  logic                 [1:0] row_i,  // Constant: the row's number in its group of four
  input  logic                [31:0] load_i,           // Words of tensor_load_rows
  input  logic                [31:0] where_i,
  input  logic                [31:0] tag_i,
  input  logic               [127:0] load_data_i,      // Four elements, the first lowest; or one
  input  logic                [15:0] tag_data_i,       // Their positions
  input  logic                       drain_i,
  input  logic                       drain_hit_i,
  input  logic                 [3:0] swap_i,           // In cycle q
  input  tensor_wave_pkg::control_t  control_i,
  input  logic               [127:0] operand_i,        // Words of the lanes, as in memory
  `TERN_LANES
  input  logic               [511:0] window_i,         // Of four rows
  input  logic       [Cols*32-1:0] acc_i,
  output logic       [Cols*32-1:0] acc_o,
  input  logic       [Cols*32-1:0] raw_i,
  output logic       [Cols*32-1:0] raw_o
  `TERN_LANES_END
);
  localparam int unsigned GroupW = Cols * 8;  // Bits of a column group

  logic  [2:0] form;
  logic [31:0] element;  // Of a single column: at its byte in the first word

  `TERN_LANES
  logic [Cols*32-1:0] shadow_q, weight_q, raw_q;
  `TERN_LANES_END

  assign form    = load_i[25:23];
  assign element = load_data_i[31:0] >> {where_i[1:0], 3'd0};

  // The partner of a sparse tile's weight, in the free bits of the common form.
  function automatic logic [31:0] partner(input logic [3:0] position);
    partner = 32'd0;
    if (tag_i[31]) begin
      partner = {5'd0, tensor_operand_pkg::partner(position, tag_i[30:28], row_i), 22'd0};
    end
  endfunction

  // Double-buffered weights: the shadow fills while the multiply runs, the swap wave makes it
  // active.
  always_ff @(posedge clk_i) begin
    if (load_i[17] && load_i[16]) begin
      shadow_q[{load_i[22:18], where_i[19:18]}*32+:32] <=
        tensor_operand_pkg::weight({96'd0, element}, 2'd0, form);
    end else if (load_i[17]) begin
      shadow_q[load_i[22:18]*128+:128] <= {
        tensor_operand_pkg::weight(load_data_i, 2'd3, form) | partner(tag_data_i[15:12]),
        tensor_operand_pkg::weight(load_data_i, 2'd2, form) | partner(tag_data_i[11:8]),
        tensor_operand_pkg::weight(load_data_i, 2'd1, form) | partner(tag_data_i[7:4]),
        tensor_operand_pkg::weight(load_data_i, 2'd0, form) | partner(tag_data_i[3:0])
      };
    end
  end

  always_ff @(posedge clk_i) begin
    if (swap_i == 4'hF) begin
      weight_q <= shadow_q;
    end else if (swap_i != 4'd0) begin
      for (int unsigned j = 0; j < 4; j++) begin
        if (swap_i[j]) weight_q[j*GroupW+:GroupW] <= shadow_q[j*GroupW+:GroupW];
      end
    end
  end

  // Transposes leave on a separate bus, parallel to running multiplies.
  always_ff @(posedge clk_i) begin
    if (drain_i) raw_q <= drain_hit_i ? shadow_q : raw_i;
  end

  if (Stages == 1) begin : gen_now
    assign raw_o = raw_q;
  end else begin : gen_later
    tern_delay #(
      .Width (Cols * 32),
      .Cycles(Stages - 1)
    ) u_delay (
      .clk_i  (clk_i),
      .valid_i(drain_i),
      .data_i (raw_q),
      .data_o (raw_o)
    );
  end

  fma_row #(
    .Lanes     (Cols),
    .Stages    (Stages),
    .SplitPaths(SplitPaths)
  ) u_fma (
    .clk_i   (clk_i),
    .en_i    (control_i.en),
    .active_i(control_i.active),
    .single_i(control_i.single),
    .sparse_i(control_i.sparse),
    .pick_i  (control_i.pick),
    .form0_i (control_i.form[2:0]),
    .form_i  (control_i.form),
    .a_i     (operand_i),
    .window_i(window_i),
    .w_i     (weight_q),
    .c_i     (acc_i),
    .acc_o   (acc_o)
  );
endmodule
