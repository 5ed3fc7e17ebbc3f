// SPDX-License-Identifier: Apache-2.0
// One row of the array: the weights of one contraction index for all columns, and their multiply-
// adds. Every row is the same module; what it does is told by the waves that pass through it
// (tensor_pkg).
//
// Local time of the row, for the request cycle q of a wave:
//   q      address to SBUF partition; at the end of q the wave's registers for the next row load,
//          and the swap happens
//   q + 1  data arrives; at the end of q + 1 it is in the shadow weights (load) or in the
//          accumulators (move)
`include "tern_trace.svh"

module tensor_row #(
  parameter int unsigned Cols = 128
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  tensor_pkg::load_wave_t     load_i,
  output tensor_pkg::load_wave_t     load_o,
  input  tensor_pkg::move_wave_t     move_i,
  output tensor_pkg::move_wave_t     move_o,
  output logic                       load_req_o,
  output logic [tensor_pkg::AddrW-4:0] load_addr_o,
  input  logic                [63:0] load_data_i,  // four elements, the first lowest
  output logic                       move_req_o,
  output logic [tensor_pkg::AddrW-2:0] move_addr_o,
  input  logic                [15:0] move_data_i,
  `TERN_LANES
  input  logic       [Cols*32-1:0] acc_i,
  output logic       [Cols*32-1:0] acc_o
  `TERN_LANES_END
);
  localparam int unsigned Groups = (Cols + 3) / 4;

  tensor_pkg::load_wave_t load_q;
  tensor_pkg::move_wave_t move_q;
  logic load_in_tile, move_in_tile, load_active_q, move_active_q;

  `TERN_LANES
  logic [Groups*128-1:0] shadow_q, weight_q;
  `TERN_LANES_END

  assign load_in_tile = load_i.skip == 8'd0 && load_i.left != 8'd0;
  assign move_in_tile = move_i.skip == 8'd0 && move_i.left != 8'd0;

  assign load_req_o  = load_i.valid && load_in_tile;
  assign load_addr_o = load_i.address;
  assign move_req_o  = move_i.valid && move_in_tile;
  assign move_addr_o = move_i.address;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q        <= '0;
      move_q        <= '0;
      load_active_q <= 1'b0;
      move_active_q <= 1'b0;
    end else begin
      load_q        <= load_i;
      load_q.skip   <= (load_i.skip == 8'd0) ? 8'd0 : load_i.skip - 8'd1;
      load_q.left   <= load_in_tile ? load_i.left - 8'd1 : load_i.left;
      load_active_q <= load_req_o;
      move_q        <= move_i;
      move_q.skip   <= (move_i.skip == 8'd0) ? 8'd0 : move_i.skip - 8'd1;
      move_q.left   <= move_in_tile ? move_i.left - 8'd1 : move_i.left;
      move_active_q <= move_req_o;
    end
  end

  assign load_o = load_q;
  assign move_o = move_q;

  // Double-buffered weights: the shadow fills behind the running multiply, the swap wave makes it
  // active.
  always_ff @(posedge clk_i) begin
    if (load_active_q) begin
      shadow_q[load_q.group*128+:128] <= {fp_pkg::recode(load_data_i[63:48], load_q.is_fp16),
                                 fp_pkg::recode(load_data_i[47:32], load_q.is_fp16),
                                 fp_pkg::recode(load_data_i[31:16], load_q.is_fp16),
                                 fp_pkg::recode(load_data_i[15:0], load_q.is_fp16)};
    end
  end

  always_ff @(posedge clk_i) begin
    if (move_i.valid && move_i.swap) weight_q <= shadow_q;
  end

  fma_row #(
    .Lanes(Cols)
  ) u_fma (
    .clk_i   (clk_i),
    .en_i    (move_q.valid),
    .active_i(move_active_q),
    .a_i     (fp_pkg::recode(move_data_i, move_q.is_fp16)),
    .w_i     (weight_q[Cols*32-1:0]),
    .c_i     (acc_i),
    .acc_o   (acc_o)
  );
endmodule
