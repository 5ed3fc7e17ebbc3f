// SPDX-License-Identifier: Apache-2.0
// One block of the MX array: the weights of eight rows by four slots, their exact sums, and one
// scaled and rounded addition a column. It is controlled by the waves that pass through it.
//
// Waves and sums travel down one block every Stages cycles. Local time of the block, for the cycle
// q in which a wave requests:
//   q      addresses to eight SBUF partitions and the scale's; at the end of q the weights swap
//   q + 1  data arrives; at the end of q + 1 it is in the shadow weights (load) or its exact sums
//          are in the slots (move), and the scales swap: they are used one cycle later than the
//          weights
//   q + 2  (move) scale, round, add, in Stages cycles; at the end of the last the accumulators load
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_mx_block #(
  parameter int unsigned Cols       = 128,
  parameter int unsigned Stages     = 1,
  parameter bit          SplitPaths = `TERN_SPLIT_PATHS
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  tensor_pkg::mx_load_t   load_i,
  output tensor_pkg::mx_load_t   load_o,
  input  tensor_pkg::mx_move_t   move_i,
  output tensor_pkg::mx_move_t   move_o,
  // SBUF, the same addresses for the eight partitions
  output logic                   load_req_o,
  output logic                   load_plane_req_o,
  input  logic [mx_pkg::BlockRows*128-1:0] load_data_i,
  input  logic [mx_pkg::BlockRows*32-1:0]  load_plane_data_i,
  output logic                   move_req_o,
  output logic                   move_plane_req_o,
  input  logic [mx_pkg::BlockRows*32-1:0]  move_data_i,
  input  logic [mx_pkg::BlockRows*16-1:0]  move_plane_data_i,
  output logic                   scale_load_req_o,
  input  logic [31:0]            scale_load_data_i,
  output logic                   scale_move_req_o,
  input  logic [7:0]             scale_move_data_i,
  // In cycle q + 2
  output logic                   valid_o,
  output logic                   quad_o,
  output logic                   quad_swap_o,  // In the cycle before: new weights
  output logic                   active_o,   // The block belongs to the tile
  output logic [7:0]             scale_o,
  output logic [3:0]             special_o,
  `TERN_LANES
  output logic [4*Cols*32-1:0]   sum0_o,     // Of slot 0, see mx_dot_row
  output logic [4*Cols*32-1:0]   sum1_o,
  output logic [4*Cols*32-1:0]   sum2_o,
  output logic [4*Cols*32-1:0]   sum3_o,
  output logic [Cols*32-1:0]     flags0_o,
  output logic [Cols*32-1:0]     flags1_o,
  output logic [Cols*32-1:0]     flags2_o,
  output logic [Cols*32-1:0]     flags3_o,
  output logic [Cols*32-1:0]     scales_o,   // Of the stationary operand
  // Chains of blocks: all modes but quad
  input  logic [Cols*32-1:0]     acc_i,
  output logic [Cols*32-1:0]     acc_o
  `TERN_LANES_END
);
  localparam int unsigned Rows = mx_pkg::BlockRows;

  tensor_pkg::mx_load_t load_q;
  tensor_pkg::mx_move_t move_q;
  logic load_in_tile, move_in_tile, load_active_q, move_active_q;

  assign load_in_tile = load_i.skip == 5'd0 && load_i.left != 5'd0;
  assign move_in_tile = move_i.skip == 5'd0 && move_i.left != 5'd0;

  assign load_req_o       = load_i.valid && load_in_tile;
  assign load_plane_req_o = load_req_o && load_i.double_row;
  assign scale_load_req_o = load_req_o && !load_i.double_row;
  assign move_req_o       = move_i.valid && move_in_tile;
  assign move_plane_req_o = move_req_o && move_i.double_row;
  assign scale_move_req_o = move_req_o && !move_i.double_row;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q        <= '0;
      move_q        <= '0;
      load_active_q <= 1'b0;
      move_active_q <= 1'b0;
    end else begin
      load_q        <= load_i;
      load_q.skip   <= (load_i.skip == 5'd0) ? 5'd0 : load_i.skip - 5'd1;
      load_q.left   <= load_in_tile ? load_i.left - 5'd1 : load_i.left;
      load_active_q <= load_req_o;
      move_q        <= move_i;
      move_q.skip   <= (move_i.skip == 5'd0) ? 5'd0 : move_i.skip - 5'd1;
      move_q.left   <= move_in_tile ? move_i.left - 5'd1 : move_i.left;
      move_active_q <= move_req_o;
    end
  end

  if (Stages == 1) begin : gen_now
    assign load_o = load_q;
    assign move_o = move_q;
  end else begin : gen_later
    localparam int unsigned WaitW = (Stages - 1) * ($bits(load_q) + $bits(move_q));
    logic [WaitW-1:0] wait_q;  // The newest lowest

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) wait_q <= '0;
      else wait_q <= WaitW'({wait_q, load_q, move_q});
    end

    assign {load_o, move_o} = wait_q[WaitW-1-:$bits(load_q)+$bits(move_q)];
  end

  // Shadow weights: packed elements as in memory, a word for each row and column. E2M1 takes the
  // lower half of a word; a double row's planes are the lower two bytes.
  `TERN_LANES
  logic [Rows*Cols*32-1:0] shadow_q;
  `TERN_LANES_END
  logic [Rows*128-1:0] load_words;
  logic [1:0]          shadow_form_q;

  task automatic pack_load(input logic [Rows*128-1:0] data, input logic [Rows*32-1:0] plane,
                           input logic double_row, input logic [1:0] form,
                           output logic [Rows*128-1:0] words);
    // verilator no_inline_task
    words = data;
    for (int unsigned r = 0; r < Rows; r++) begin
      for (int unsigned c = 0; c < 4; c++) begin
        if (double_row) begin
          words[r*128+c*32+:32] = {16'd0, plane[r*32+c*8+:8], data[r*128+c*8+:8]};
        end else if (form == tensor_pkg::FormE2m1) begin
          words[r*128+c*32+:32] = {16'd0, data[r*128+c*16+:16]};
        end
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (load_active_q) begin
      pack_load(load_data_i, load_plane_data_i, load_q.double_row, load_q.form, load_words);
      shadow_form_q <= load_q.form;
      for (int unsigned r = 0; r < Rows; r++) begin
        shadow_q[r*Cols*32+load_q.group*128+:128] <= load_words[r*128+:128];
      end
    end
  end

  // Scales of the stationary operand, a byte in each word. A double row has none: they are one.
  `TERN_LANES
  logic [Cols*32-1:0] shadow_scales_q, scales_q;
  `TERN_LANES_END
  logic [31:0] load_scales;
  logic        swap_q;

  assign load_scales = load_q.double_row ? {4{mx_pkg::ScaleOne}} : scale_load_data_i;

  always_ff @(posedge clk_i) begin
    if (load_active_q) begin
      shadow_scales_q[load_q.group*128+:128] <= {24'd0, load_scales[31:24],
                                                 24'd0, load_scales[23:16],
                                                 24'd0, load_scales[15:8],
                                                 24'd0, load_scales[7:0]};
    end
  end

  assign swap_q = move_q.valid && move_q.swap;

  always_ff @(posedge clk_i) begin
    if (swap_q) scales_q <= shadow_scales_q;
  end

  // Moving elements, packed like the shadow weights.
  logic [Rows*32-1:0] elem;

  always_comb begin
    elem = move_data_i;
    for (int unsigned r = 0; r < Rows; r++) begin
      if (move_q.double_row) begin
        elem[r*32+:32] = move_q.odd ? {16'd0, move_plane_data_i[r*16+8+:8],
                                       move_data_i[r*32+8+:8]}
                                    : {16'd0, move_plane_data_i[r*16+:8], move_data_i[r*32+:8]};
      end
    end
  end

  for (genvar s = 0; s < 4; s++) begin : gen_slot
    logic en, clear;
    if (s < 2) begin : gen_always
      assign en    = move_active_q;
      assign clear = 1'b0;
    end else begin : gen_packed
      assign en    = move_active_q && !move_q.double_row;
      assign clear = move_active_q && move_q.double_row;
    end

    `TERN_LANES
    logic [4*Cols*32-1:0] sum;
    logic [Cols*32-1:0]   flags;
    `TERN_LANES_END

    tensor_mx_slot #(
      .Cols      (Cols),
      .Slot      (s),
      .SplitPaths(SplitPaths)
    ) u_slot (
      .clk_i        (clk_i),
      .swap_i       (move_i.valid && move_i.swap),
      .shadow_form_i(shadow_form_q),
      .en_i         (en),
      .clear_i      (clear),
      .form_i       (move_q.form),
      .elem_i       (elem),
      .shadow_i     (shadow_q),
      .sum_o        (sum),
      .flags_o      (flags),
      .special_o    (special_o[s])
    );
  end

  assign sum0_o   = gen_slot[0].sum;
  assign sum1_o   = gen_slot[1].sum;
  assign sum2_o   = gen_slot[2].sum;
  assign sum3_o   = gen_slot[3].sum;
  assign flags0_o = gen_slot[0].flags;
  assign flags1_o = gen_slot[1].flags;
  assign flags2_o = gen_slot[2].flags;
  assign flags3_o = gen_slot[3].flags;

  // Cycle q + 2.
  logic valid_q2, active_q2, quad_q2;
  logic [7:0] scale_q2;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q2  <= 1'b0;
      active_q2 <= 1'b0;
      quad_q2   <= 1'b0;
      scale_q2  <= '0;
    end else begin
      valid_q2  <= move_q.valid;
      active_q2 <= move_active_q;
      quad_q2   <= move_q.quad;
      scale_q2  <= move_q.double_row ? mx_pkg::ScaleOne : scale_move_data_i;
    end
  end

  assign quad_swap_o = swap_q && move_q.quad;

  assign valid_o  = valid_q2;
  assign active_o = active_q2;
  assign quad_o   = quad_q2;
  assign scale_o  = scale_q2;
  assign scales_o = scales_q;

  mx_chain_row #(
    .Lanes     (Cols),
    .Stages    (Stages),
    .SplitPaths(SplitPaths)
  ) u_chain (
    .clk_i    (clk_i),
    .en_i     (valid_q2 && !quad_q2),
    .active_i (active_q2),
    .scale_i  (scale_q2),
    .special_i(special_o),
    .a_i      (sum0_o),
    .b_i      (sum1_o),
    .c_i      (sum2_o),
    .d_i      (sum3_o),
    .a_flags_i(flags0_o),
    .b_flags_i(flags1_o),
    .c_flags_i(flags2_o),
    .d_flags_i(flags3_o),
    .scales_i (scales_q),
    .acc_i    (acc_i),
    .acc_o    (acc_o)
  );
endmodule
