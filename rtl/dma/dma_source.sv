// SPDX-License-Identifier: Apache-2.0
// Sources of the current packet: its pieces become requests on the read port as soon as lines and
// tags of the read buffer are free.
module dma_source #(
  parameter int unsigned ReadLines = 512,
  parameter int unsigned ReadTags  = 64,
  localparam int unsigned LinesW   = $clog2(ReadLines + 1),
  localparam int unsigned CountW   = $clog2(ReadTags + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        dispatch_i,
  input  dma_pkg::packet_t            packet_i,
  input  logic                  [4:0] seq_i,         // Of the packet dispatched
  input  logic                  [5:0] oldest_i,      // Entry of the packet table
  output logic                        idle_o,
  output logic                        done_o,        // With the packet's last piece
  output logic                  [5:0] done_entry_o,
  output logic                        read_o,
  output logic                  [3:0] ring_o,
  output logic                  [6:0] slot_o,
  input  logic                [767:0] pairs_i,
  // Read buffer.
  input  logic           [LinesW-1:0] lines_free_i,
  input  logic           [CountW-1:0] pieces_i,      // Held in it
  input  logic                  [5:0] tag_i,         // Of the next piece
  output logic                        take_o,
  output dma_back_pkg::source_piece_t piece_o,
  // Read port.
  output logic                        request_valid_o,
  output dma_pkg::request_t           request_o
);
  logic             busy_q;
  dma_pkg::packet_t packet_q;
  logic [4:0]       seq_q;

  logic       piece_valid, go;
  logic [4:0] lines;
  assign lines = 5'((piece_o.bytes + 11'd63) >> 6);
  assign go    = piece_valid && LinesW'(lines) <= lines_free_i && pieces_i != CountW'(ReadTags);

  /* verilator lint_off PINCONNECTEMPTY */
  dma_pieces #(.IsTarget(1'b0)) u_pieces (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .packet_valid_i (busy_q),
    .packet_i       (packet_q),
    .hold_i         (packet_q.entry != oldest_i),
    .read_o         (read_o),
    .slot_o         (slot_o),
    .pairs_i        (pairs_i),
    .piece_valid_o  (piece_valid),
    .go_i           (go),
    .address_o      (piece_o.address),
    .bytes_o        (piece_o.bytes),
    .run_first_o    (piece_o.run_first),
    .row_first_o    (),
    .row_last_o     (),
    .pass_first_o   (piece_o.pass_first),
    .pass_last_o    (piece_o.pass_last),
    .packet_last_o  (piece_o.packet_last),
    .pair_o         (piece_o.pair),
    .word_o         (piece_o.scale),
    .write_op_o     (),
    .done_o         (done_o)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign piece_o.seq  = seq_q;
  assign idle_o       = !busy_q;
  assign done_entry_o = packet_q.entry;
  assign ring_o       = packet_q.ring;
  assign take_o       = go;

  assign request_valid_o         = go;
  assign request_o.address       = piece_o.address;
  assign request_o.bytes         = piece_o.bytes;
  assign request_o.tag           = tag_i;
  assign request_o.traffic_class = packet_q.traffic_class;
  assign request_o.write_op      = dma_spec_pkg::WriteStore;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (dispatch_i) busy_q <= 1'b1;
    else if (done_o) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (dispatch_i) begin
      packet_q <= packet_i;
      seq_q    <= seq_i;
    end
  end
endmodule
