// SPDX-License-Identifier: Apache-2.0
// Destinations of the dispatched packets, in order: a queue of packets, and one of the pieces that
// the mover has not finished.
module dma_target #(
  localparam int unsigned Packets  = dma_back_pkg::TargetPackets,
  localparam int unsigned Pieces   = dma_back_pkg::TargetPieces,
  localparam int unsigned PacketsW = $clog2(Packets + 1),
  localparam int unsigned PiecesW  = $clog2(Pieces + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        dispatch_i,
  input  dma_pkg::packet_t            packet_i,
  output logic                        full_o,
  output logic                        done_o,        // With a packet's last piece
  output logic                  [5:0] done_entry_o,
  output logic                        read_o,
  output logic                  [3:0] ring_o,
  output logic                  [6:0] slot_o,
  input  logic                [767:0] pairs_i,
  // Mover.
  output logic                        piece_valid_o,
  output dma_back_pkg::target_piece_t piece_o,
  input  logic                        pop_i
);
  localparam int unsigned PacketW = $bits(packet_i);
  localparam int unsigned PieceW  = $bits(piece_o);

  logic [PacketsW-1:0] packets_q;
  logic [PiecesW-1:0]  pieces_q;
  logic                packet_valid;
  dma_pkg::packet_t    packet;

  tern_fifo #(.Width(PacketW), .Depth(Packets)) u_packets (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (dispatch_i),
    .data_i  (packet_i),
    .pop_i   (done_o),
    .valid_o (packet_valid),
    .data_o  (packet)
  );

  dma_back_pkg::target_piece_t piece;
  logic                        piece_valid, go;
  /* verilator lint_off PINCONNECTEMPTY */
  dma_pieces #(.IsTarget(1'b1)) u_pieces (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .packet_valid_i (packet_valid),
    .packet_i       (packet),
    .hold_i         (1'b0),
    .read_o         (read_o),
    .slot_o         (slot_o),
    .pairs_i        (pairs_i),
    .piece_valid_o  (piece_valid),
    .go_i           (go),
    .address_o      (piece.address),
    .bytes_o        (piece.bytes),
    .run_first_o    (piece.run_first),
    .row_first_o    (piece.row_first),
    .row_last_o     (piece.row_last),
    .pass_first_o   (),
    .pass_last_o    (),
    .packet_last_o  (piece.packet_last),
    .pair_o         (piece.pair),
    .word_o         (piece.value),
    .write_op_o     (piece.write_op),
    .done_o         (done_o)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  tern_fifo #(.Width(PieceW), .Depth(Pieces)) u_queue (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (go),
    .data_i  (piece),
    .pop_i   (pop_i),
    .valid_o (piece_valid_o),
    .data_o  (piece_o)
  );

  assign go           = piece_valid && pieces_q != PiecesW'(Pieces);
  assign full_o       = packets_q == PacketsW'(Packets);
  assign done_entry_o = packet.entry;
  assign ring_o       = packet.ring;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      packets_q <= '0;
      pieces_q  <= '0;
    end else begin
      packets_q <= packets_q + PacketsW'(dispatch_i) - PacketsW'(done_o);
      pieces_q  <= pieces_q + PiecesW'(go) - PiecesW'(pop_i);
    end
  end
endmodule
