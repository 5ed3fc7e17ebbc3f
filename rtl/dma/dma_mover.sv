// SPDX-License-Identifier: Apache-2.0
// Decides which beat enters the data path, and when: segments of source and target pieces, their
// pace, the pause at a change of buffer, tags and lines of writes. README.md, "Mover".
`include "tern_assert.svh"

module dma_mover #(
  parameter int unsigned Packets   = dma_spec_pkg::Packets,
  parameter int unsigned ReadLines = dma_spec_pkg::ReadLines,
  localparam int unsigned EntryW   = $clog2(Packets),
  localparam int unsigned LineW    = $clog2(ReadLines)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                  [7:0] cfg_descriptor_cycles_i,
  input  logic                  [9:0] cfg_pace_i,
  // Packets in order of dispatch.
  input  logic                        dispatch_i,
  input  dma_pkg::packet_t            packet_i,
  output logic                  [4:0] dispatch_seq_o,
  input  logic          [Packets-1:0] dead_i,
  // The oldest piece of either side.
  input  logic                        source_valid_i,   // It is complete
  input  dma_back_pkg::source_piece_t source_i,
  input  logic                  [1:0] source_error_i,
  input  logic            [LineW-1:0] source_line_i,
  output logic                        source_pop_o,
  input  logic                        target_valid_i,
  input  dma_back_pkg::target_piece_t target_i,
  output logic                        target_pop_o,
  // Writes.
  input  logic                        write_room_i,     // For the target piece
  input  logic                        immediate_room_i,
  output logic                        write_begin_o,    // A target piece begins
  output logic                        write_dead_o,     // It is not written
  output dma_pkg::packet_t            packet_o,         // Of this beat
  output logic                        packet_done_o,    // Its last beat
  // The beat that enters, and the first line that it reads.
  output dma_back_pkg::beat_t         beat_o,
  output logic            [LineW-1:0] beat_line_o,
  output dma_pkg::stop_t              stop_o,
  output logic                        settled_o
);
  localparam int unsigned Sequences = 1 << dma_back_pkg::SeqW;
  localparam logic [8:0]  Stages    = 9'(dma_spec_pkg::MoverStages);
  localparam int unsigned PacketW   = $bits(packet_i);

  // Packets between dispatch and their last beat.
  logic [PacketW-1:0] packets [Sequences];
  logic [4:0]         seq_q, dispatch_seq_q;
  dma_pkg::packet_t   packet;
  assign packet         = packets[seq_q];
  assign packet_o       = packet;
  assign dispatch_seq_o = dispatch_seq_q;

  logic is_op, is_transpose, is_immediate, is_copy, narrow_source, narrow_target;
  assign is_op         = dma_back_pkg::is_operation(packet.op);
  assign is_transpose  = packet.op == dma_spec_pkg::OpTranspose;
  assign is_immediate  = packet.op == dma_spec_pkg::OpImmediate;
  assign is_copy       = packet.op == dma_spec_pkg::OpCopy;
  assign narrow_source = packet.src_dtype != dma_spec_pkg::DtypeFp32;
  assign narrow_target = packet.dst_dtype != dma_spec_pkg::DtypeFp32;

  logic [10:0] source_done_q, target_done_q;  // Bytes of the pieces that have passed
  logic        writing_q;                     // The target piece is being written
  logic        started_q;                       // The packet has started
  logic [4:0]  row_q;                         // Transpose: row; operation: 16 elements of the block
  logic        half_q, filling_q, draining_q; // Transpose
  logic [5:0]  row_done_q;                    // Transpose: bytes of the target row that have passed

  // Which pieces the beat needs.
  logic use_source, use_target, source_first, target_first;
  assign use_source   = is_transpose ? !draining_q && (filling_q || target_i.row_first)
                                     : !is_immediate;
  assign use_target   = is_transpose ? !filling_q : is_op ? source_i.pass_last : 1'b1;
  assign source_first = use_source && source_done_q == '0;
  assign target_first = use_target && target_done_q == '0;

  // Its size, on both sides.
  logic [10:0] source_left, target_left, source_bytes, target_bytes;
  logic [10:0] source_words, target_words, words, most;
  assign source_left  = source_i.bytes - source_done_q;
  assign target_left  = target_i.bytes - target_done_q;
  assign source_words = narrow_source ? source_left >> 1 : source_left >> 2;
  assign target_words = narrow_target ? target_left >> 1 : target_left >> 2;
  always_comb begin
    if (is_op) begin
      most  = (narrow_source && narrow_target) ? 11'd32 : 11'd16;
      words = (source_words < most) ? source_words : most;
      words = (use_target && target_words < words) ? target_words : words;
      source_bytes = narrow_source ? words << 1 : words << 2;
      target_bytes = narrow_target ? words << 1 : words << 2;
    end else begin
      words        = '0;
      most         = 11'd64;
      most         = (use_source && source_left < most) ? source_left : most;
      most         = (use_target && target_left < most) ? target_left : most;
      source_bytes = is_transpose ? 11'd64 : most;
      target_bytes = most;
    end
  end

  // Whether it may enter in this cycle.
  logic [8:0]  since_q;   // Cycles since the one after the last beat
  logic [8:0]  wanted;
  logic [9:0]  pace_q;
  logic [10:0] pace;
  logic        pause_q, mark, bad, dead, go, ready;
  assign bad    = source_first && source_error_i != dma_pkg::AnswerGood;
  assign dead   = dead_i[packet.entry[EntryW-1:0]] || bad;
  assign mark   = (source_first && source_i.run_first)
               || (target_first && target_i.run_first && !is_transpose);
  assign pace   = {1'b0, pace_q} + {1'b0, cfg_pace_i};
  assign wanted = (mark ? {1'b0, cfg_descriptor_cycles_i} : 9'd0) + {8'd0, pause_q};
  assign ready = seq_q != dispatch_seq_q && since_q >= wanted
              && (!use_source || (source_valid_i && source_i.seq == seq_q))
              && (!use_target || target_valid_i);
  assign go    = ready && (!target_first || dead
                           || (write_room_i && (!is_immediate || immediate_room_i)));
  assign settled_o = since_q > {1'b0, cfg_descriptor_cycles_i} + Stages;

  logic source_end, target_end;
  assign source_end    = source_bytes == source_left;
  assign target_end    = target_bytes == target_left;
  assign source_pop_o  = go && use_source && source_end;
  assign target_pop_o  = go && use_target && target_end;
  assign packet_done_o = target_pop_o && target_i.packet_last;
  assign write_begin_o = go && target_first;
  assign write_dead_o  = dead;

  assign stop_o.valid   = go && bad;
  assign stop_o.entry   = packet.entry;
  assign stop_o.pair    = source_i.pair;
  assign stop_o.fault   = source_error_i == dma_pkg::AnswerUncorrectable ? dma_spec_pkg::FaultEcc
                                                                         : dma_spec_pkg::FaultRead;
  assign stop_o.address = source_i.address;

  // Operations: the position in the block, in rows of 16 elements.
  logic [4:0] block_row;
  logic       writing, row_end;
  assign block_row = (source_first && source_i.run_first) ? 5'd0 : row_q;
  assign writing   = target_first ? !dead : writing_q;
  assign row_end   = filling_q || (target_end && target_i.row_last);

  always_comb begin
    beat_o             = '0;
    beat_o.valid       = go;
    beat_o.copy        = go && is_copy;
    beat_o.lanes       = go && is_op;
    beat_o.fill        = go && is_transpose && use_source;
    beat_o.leave       = go && is_transpose && use_target;
    beat_o.write       = go && use_target && writing && !is_immediate;
    beat_o.last        = target_end;
    beat_o.immediate   = go && is_immediate && writing;
    beat_o.packet_last = packet_done_o;
    beat_o.crc         = packet.crc != 2'd0;
    beat_o.crc_first   = !started_q;
    beat_o.dead        = dead;
    beat_o.seq         = seq_q;
    beat_o.bytes       = target_bytes[6:0];
    beat_o.shift       = is_transpose ? (target_i.row_first ? 6'd0 : row_done_q)
                                      : source_done_q[5:0];
    beat_o.half        = half_q;
    beat_o.row         = is_op ? block_row : row_q;
    beat_o.op          = packet.op;
    beat_o.src_dtype   = packet.src_dtype;
    beat_o.dst_dtype   = packet.dst_dtype;
    beat_o.pass_first  = source_i.pass_first;
    beat_o.scale       = source_i.scale;
  end
  assign beat_line_o = source_line_i + LineW'(source_done_q[9:6]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seq_q          <= '0;
      dispatch_seq_q <= '0;
      source_done_q  <= '0;
      target_done_q  <= '0;
      writing_q      <= 1'b0;
      started_q        <= 1'b0;
      row_q          <= '0;
      half_q         <= 1'b0;
      filling_q      <= 1'b1;
      draining_q     <= 1'b0;
      row_done_q     <= '0;
      since_q        <= '1;
      pace_q         <= '0;
      pause_q        <= 1'b0;
    end else begin
      if (dispatch_i) dispatch_seq_q <= dispatch_seq_q + 5'd1;
      if (go) begin
        since_q <= '0;
        pace_q  <= pace[9:0];
        pause_q <= pace[10];
        started_q <= !packet_done_o;
        if (packet_done_o) seq_q <= seq_q + 5'd1;
        if (use_source) source_done_q <= source_end ? '0 : source_done_q + source_bytes;
        if (use_target) begin
          target_done_q <= target_end ? '0 : target_done_q + target_bytes;
          writing_q     <= writing;
        end
        if (is_op) row_q <= block_row + {3'd0, narrow_source && narrow_target,
                                         !(narrow_source && narrow_target)};
        if (is_transpose) begin
          row_done_q <= beat_o.shift + target_i.bytes[5:0];
          if (source_pop_o && source_i.packet_last) draining_q <= 1'b1;
          if (row_end) begin
            row_q <= row_q + 5'd1;
            if (row_q == (narrow_source ? 5'd31 : 5'd15)) begin
              row_q     <= '0;
              half_q    <= !half_q;
              filling_q <= 1'b0;
            end
          end
        end
        if (packet_done_o) begin
          row_q      <= '0;
          filling_q  <= 1'b1;
          draining_q <= 1'b0;
        end
      end else if (since_q != '1) begin
        since_q <= since_q + 9'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (dispatch_i) packets[dispatch_seq_q] <= packet_i;
  end

  `TERN_ASSERT(FewPackets, !(dispatch_i && dispatch_seq_q + 5'd1 == seq_q))
endmodule
