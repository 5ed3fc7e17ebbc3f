// SPDX-License-Identifier: Apache-2.0
// The data path of the DMA engine: dispatched packets become requests on the read port, beats and
// requests on the write port. README.md, "Source" to "Completion".
`include "tern_trace.svh"

module dma_back #(
  parameter int unsigned Packets    = 64,   // Entries of the packet table
  parameter int unsigned ReadLines  = 512,
  parameter int unsigned Tags       = 64,   // Of either port
  parameter int unsigned WriteLines = 512
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic         [7:0] cfg_descriptor_cycles_i,
  input  logic         [9:0] cfg_pace_i,
  // The packet that the arbiter chose in this cycle.
  input  logic               dispatch_i,
  input  dma_pkg::packet_t   packet_i,
  output logic               source_idle_o,
  output logic               target_full_o,
  // Prefetch buffer: the pair at a slot of a ring and the two after it, in the same cycle.
  output logic               source_read_o,
  output logic         [3:0] source_ring_o,
  output logic         [6:0] source_slot_o,
  input  logic       [767:0] source_pairs_i,
  output logic               source_done_o,        // The packet's pairs have been read
  output logic         [5:0] source_done_entry_o,
  output logic               target_read_o,
  output logic         [3:0] target_ring_o,
  output logic         [6:0] target_slot_o,
  input  logic       [767:0] target_pairs_i,
  output logic               target_done_o,
  output logic         [5:0] target_done_entry_o,
  // Packet table.
  input  logic [Packets-1:0] dead_i,
  input  logic         [5:0] oldest_i,
  output logic               oldest_done_o,
  output dma_pkg::stop_t     read_stop_o,
  output dma_pkg::stop_t     write_stop_o,
  output logic               unknown_answer_o,     // Response to a write that is not in flight
  output logic               crc_valid_o,
  output logic         [5:0] crc_entry_o,
  output logic        [31:0] crc_value_o,
  output logic               crc_wrong_o,
  // Ports.
  output logic               read_valid_o,
  output dma_pkg::request_t  read_request_o,
  input  dma_pkg::answer_t   read_answer_i,        // The tag accompanies every beat
  input  logic       [511:0] read_data_i,
  output logic               write_valid_o,
  output logic       [511:0] write_data_o,
  output logic         [6:0] write_bytes_o,
  output logic               write_last_o,         // Of the request, which is valid with it
  output logic               write_immediate_o,    // Not of the request that is being written
  output dma_pkg::request_t  write_request_o,
  input  dma_pkg::answer_t   write_answer_i,
  output logic               settled_o             // At rest: no counter changes any more
);
  localparam int unsigned LineW  = $clog2(ReadLines);
  localparam int unsigned LinesW = $clog2(ReadLines + 1);
  localparam int unsigned CountW = $clog2(Tags + 1);

  // Pieces.
  logic [4:0]                  seq;
  logic                        take, source_valid, source_pop, target_valid, target_pop;
  dma_back_pkg::source_piece_t taken, source;
  dma_back_pkg::target_piece_t target;
  logic [LinesW-1:0]           lines_free;
  logic [CountW-1:0]           pieces;
  logic [5:0]                  read_tag;
  logic [1:0]                  source_error;
  logic [LineW-1:0]            source_line;

  dma_source #(.ReadLines(ReadLines), .ReadTags(Tags)) u_source (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .dispatch_i      (dispatch_i),
    .packet_i        (packet_i),
    .seq_i           (seq),
    .oldest_i        (oldest_i),
    .idle_o          (source_idle_o),
    .done_o          (source_done_o),
    .done_entry_o    (source_done_entry_o),
    .read_o          (source_read_o),
    .ring_o          (source_ring_o),
    .slot_o          (source_slot_o),
    .pairs_i         (source_pairs_i),
    .lines_free_i    (lines_free),
    .pieces_i        (pieces),
    .tag_i           (read_tag),
    .take_o          (take),
    .piece_o         (taken),
    .request_valid_o (read_valid_o),
    .request_o       (read_request_o)
  );

  dma_target u_target (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .dispatch_i    (dispatch_i),
    .packet_i      (packet_i),
    .full_o        (target_full_o),
    .done_o        (target_done_o),
    .done_entry_o  (target_done_entry_o),
    .read_o        (target_read_o),
    .ring_o        (target_ring_o),
    .slot_o        (target_slot_o),
    .pairs_i       (target_pairs_i),
    .piece_valid_o (target_valid),
    .piece_o       (target),
    .pop_i         (target_pop)
  );

  // The beat at each stage; stage 4 is the write port.
  dma_back_pkg::beat_t beat, beat1, beat2, beat3, beat4;
  localparam int unsigned BeatW = $bits(beat);
  logic [BeatW-1:0]    beat1_q, beat2_q, beat3_q, beat4_q;
  logic [LineW-1:0]    beat_line, beat_line_q;
  assign beat1 = beat1_q;
  assign beat2 = beat2_q;
  assign beat3 = beat3_q;
  assign beat4 = beat4_q;

  `TERN_LANES
  logic [511:0] line0, line1;
  `TERN_LANES_END
  dma_read_buffer #(.Lines(ReadLines), .Tags(Tags)) u_buffer (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .take_i       (take),
    .piece_i      (taken),
    .tag_o        (read_tag),
    .lines_free_o (lines_free),
    .pieces_o     (pieces),
    .answer_i     (read_answer_i),
    .data_i       (read_data_i),
    .valid_o      (source_valid),
    .piece_o      (source),
    .error_o      (source_error),
    .line_o       (source_line),
    .pop_i        (source_pop),
    .read_i       (beat1.copy || beat1.fill || beat1.lanes),
    .read_line_i  (beat_line_q),
    .line0_o      (line0),
    .line1_o      (line1)
  );

  logic             write_room, immediate_room, write_begin, write_dead, packet_done;
  logic [5:0]       write_tag;
  dma_pkg::packet_t packet;
  dma_mover #(.Packets(Packets), .ReadLines(ReadLines)) u_mover (
    .clk_i                   (clk_i),
    .rst_ni                  (rst_ni),
    .cfg_descriptor_cycles_i (cfg_descriptor_cycles_i),
    .cfg_pace_i              (cfg_pace_i),
    .dispatch_i              (dispatch_i),
    .packet_i                (packet_i),
    .dispatch_seq_o          (seq),
    .dead_i                  (dead_i),
    .source_valid_i          (source_valid),
    .source_i                (source),
    .source_error_i          (source_error),
    .source_line_i           (source_line),
    .source_pop_o            (source_pop),
    .target_valid_i          (target_valid),
    .target_i                (target),
    .target_pop_o            (target_pop),
    .write_room_i            (write_room),
    .immediate_room_i        (immediate_room),
    .write_begin_o           (write_begin),
    .write_dead_o            (write_dead),
    .packet_o                (packet),
    .packet_done_o           (packet_done),
    .beat_o                  (beat),
    .beat_line_o             (beat_line),
    .stop_o                  (read_stop_o),
    .settled_o               (settled_o)
  );

  // Writes.
  logic              immediate_valid;
  logic [31:0]       immediate_value;
  dma_pkg::request_t immediate_request;
  dma_writes #(.Packets(Packets), .Tags(Tags), .Lines(WriteLines)) u_writes (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .bytes_i             (target.bytes),
    .room_o              (write_room),
    .immediate_room_o    (immediate_room),
    .tag_o               (write_tag),
    .begin_i             (write_begin && !write_dead),
    .immediate_i         (beat.immediate),
    .piece_i             (target),
    .packet_i            (packet),
    .dispatch_i          (dispatch_i),
    .dispatch_entry_i    (packet_i.entry),
    .last_i              (packet_done),
    .dead_i              (dead_i),
    .oldest_i            (oldest_i),
    .oldest_done_o       (oldest_done_o),
    .answer_i            (write_answer_i),
    .stop_o              (write_stop_o),
    .unknown_o           (unknown_answer_o),
    .arrived_i           (beat4.valid && beat4.immediate),
    .port_busy_i         (beat4.write),
    .immediate_valid_o   (immediate_valid),
    .immediate_value_o   (immediate_value),
    .immediate_request_o (immediate_request)
  );

  // The request of the target piece at work follows its beats.
  dma_pkg::request_t request, request_now, request4;
  localparam int unsigned RequestW = $bits(request);
  logic [RequestW-1:0] request_q, request1_q, request2_q, request3_q, request4_q;
  assign request_now.address       = target.address;
  assign request_now.bytes         = target.bytes;
  assign request_now.tag           = write_tag;
  assign request_now.traffic_class = packet.traffic_class;
  assign request_now.write_op      = target.write_op;
  assign request  = write_begin ? request_now : request_q;
  assign request4 = request4_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat1_q <= '0;
      beat2_q <= '0;
      beat3_q <= '0;
      beat4_q <= '0;
    end else begin
      beat1_q <= beat;
      beat2_q <= beat1_q;
      beat3_q <= beat2_q;
      beat4_q <= beat3_q;
    end
  end

  always_ff @(posedge clk_i) begin
    beat_line_q <= beat_line;
    if (write_begin) request_q <= request_now;
    if (beat.write) request1_q <= request;
    if (beat1.write) request2_q <= request1_q;
    if (beat2.write) request3_q <= request2_q;
    if (beat3.write) request4_q <= request3_q;
  end

  // Data.
  `TERN_LANES
  logic [511:0] line_q, row, shifted, computed, shifted_q;
  `TERN_LANES_END
  dma_shift u_shift (
    .clk_i    (clk_i),
    .copy1_i  (beat1.copy),
    .fill1_i  (beat1.fill),
    .line0_i  (line0),
    .line1_i  (line1),
    .line_o   (line_q),
    .copy2_i  (beat2.copy),
    .leave2_i (beat2.leave),
    .row_i    (row),
    .shift2_i (beat2.shift),
    .data_o   (shifted)
  );

  dma_transpose u_transpose (
    .clk_i   (clk_i),
    .fill_i  (beat2.fill),
    .leave_i (beat2.leave),
    .half_i  (beat2.half),
    .row_i   (beat2.row),
    .words_i (beat2.src_dtype == dma_spec_pkg::DtypeFp32),
    .line_i  (line_q),
    .row_o   (row)
  );

  dma_lanes u_lanes (
    .clk_i   (clk_i),
    .beat1_i (beat1),
    .beat2_i (beat2),
    .beat3_i (beat3),
    .line_i  (line0),
    .data_o  (computed)
  );

  always_ff @(posedge clk_i) begin
    if (beat3.write && !beat3.lanes) shifted_q <= shifted;
  end

  logic [31:0] crc;
  dma_crc u_crc (
    .clk_i   (clk_i),
    .add_i   (beat3.copy && beat3.crc),
    .first_i (beat3.crc_first),
    .bytes_i (beat3.bytes),
    .data_i  (shifted),
    .crc_o   (crc)
  );

  // CRC of a packet, checked if the packet requests it.
  logic [31:0] crc_expected [1 << dma_back_pkg::SeqW];
  logic [7:0]  crc_packet [1 << dma_back_pkg::SeqW];
  always_ff @(posedge clk_i) begin
    if (dispatch_i) begin
      crc_expected[seq] <= packet_i.crc_expected;
      crc_packet[seq]   <= {packet_i.entry, packet_i.crc};
    end
  end
  logic [1:0] crc_mode;
  assign {crc_entry_o, crc_mode} = crc_packet[beat4.seq];
  assign crc_valid_o = beat4.valid && beat4.packet_last && beat4.crc && !beat4.dead;
  assign crc_value_o = crc;
  assign crc_wrong_o = crc_valid_o && crc_mode == 2'd2 && crc != crc_expected[beat4.seq];

  // Write port: beats go first.
  always_comb begin
    write_valid_o     = beat4.write || immediate_valid;
    write_immediate_o = immediate_valid;
    write_data_o      = beat4.lanes ? computed : shifted_q;
    write_bytes_o     = beat4.bytes;
    write_last_o      = beat4.last;
    write_request_o   = request4;
    if (immediate_valid) begin
      write_data_o    = {480'd0, immediate_value};
      write_bytes_o   = 7'd4;
      write_last_o    = 1'b1;
      write_request_o = immediate_request;
    end
  end
endmodule
