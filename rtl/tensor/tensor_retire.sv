// SPDX-License-Identifier: Apache-2.0
// Statuses in program order, at most one a cycle. Loads finish in order and so do multiplies, so
// two counts of finished ones tell whether the oldest command is done; a rejected command is done
// at once.
module tensor_retire #(
  parameter int unsigned CommandDepth = 16
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                flight_valid_i,  // a command issues
  input  tensor_pkg::flight_t flight_i,
  input  logic                load_done_i,
  input  logic                move_done_i,
  output logic                status_valid_o,
  input  logic                status_ready_i,
  output tensor_pkg::status_t status_o,
  output logic                retire_o         // a status leaves
);
  localparam int unsigned CountW = $clog2(CommandDepth + 1);

  tensor_pkg::flight_t head;
  logic head_valid, rejected, load_ready, move_ready, take_load, take_move;
  logic [CountW-1:0] loads_d, loads_q, moves_d, moves_q;

  tern_fifo #(
    .Width($bits(head)), .Depth(CommandDepth)
  ) u_flight (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (flight_valid_i),
    .data_i (flight_i),
    .pop_i  (retire_o),
    .valid_o(head_valid),
    .data_o (head)
  );

  assign rejected       = head.status.code != tensor_pkg::CodeOk;
  assign load_ready     = !head.is_move && (load_done_i || loads_q != '0);
  assign move_ready     = head.is_move && (move_done_i || moves_q != '0);
  assign status_valid_o = head_valid && (rejected || load_ready || move_ready);
  assign status_o       = head.status;
  assign retire_o       = status_valid_o && status_ready_i;
  assign take_load      = retire_o && !rejected && !head.is_move;
  assign take_move      = retire_o && !rejected && head.is_move;
  assign loads_d        = loads_q + CountW'(load_done_i) - CountW'(take_load);
  assign moves_d        = moves_q + CountW'(move_done_i) - CountW'(take_move);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loads_q <= '0;
      moves_q <= '0;
    end else begin
      loads_q <= loads_d;
      moves_q <= moves_d;
    end
  end
endmodule
