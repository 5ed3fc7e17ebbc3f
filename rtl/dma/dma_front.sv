// SPDX-License-Identifier: Apache-2.0
// The control path of the DMA engine: registers, fetch, scan, dispatch, completion and faults. The
// data path is dma_back. README.md.
`include "tern_assert.svh"

module dma_front #(
  parameter int unsigned Rings         = 16,
  parameter int unsigned PrefetchPairs = 128,  // Per ring
  parameter int unsigned Packets       = 64,
  localparam int unsigned RingW  = $clog2(Rings),
  localparam int unsigned SlotW  = $clog2(PrefetchPairs),
  localparam int unsigned EntryW = $clog2(Packets)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic         [1:0] cfg_policy_i,     // Of the arbiter, after reset
  input  logic        [63:0] cfg_rate_i,
  input  logic        [79:0] cfg_depth_i,
  // Registers.
  input  logic               reg_valid_i,
  input  logic               reg_write_i,
  input  logic        [11:0] reg_offset_i,
  input  logic        [31:0] reg_data_i,
  output logic               reg_ok_o,
  output logic        [31:0] reg_data_o,
  // Hardware-made pairs, RX in the upper half.
  input  logic               push_valid_i,
  input  logic         [3:0] push_ring_i,
  input  logic       [255:0] push_pair_i,
  output logic               push_ready_o,
  // Descriptor port.
  output logic               fetch_valid_o,
  output dma_pkg::request_t  fetch_request_o,
  input  dma_pkg::answer_t   fetch_answer_i,
  input  logic       [511:0] fetch_data_i,
  // Data path.
  output logic               dispatch_o,
  output dma_pkg::packet_t   packet_o,
  input  logic               source_idle_i,
  input  logic               target_full_i,
  input  logic               source_read_i,
  input  logic         [3:0] source_ring_i,
  input  logic         [6:0] source_slot_i,
  output logic       [767:0] source_pairs_o,
  input  logic               source_done_i,
  input  logic         [5:0] source_done_entry_i,
  input  logic               target_read_i,
  input  logic         [3:0] target_ring_i,
  input  logic         [6:0] target_slot_i,
  output logic       [767:0] target_pairs_o,
  input  logic               target_done_i,
  input  logic         [5:0] target_done_entry_i,
  output logic [Packets-1:0] dead_o,
  output logic         [5:0] oldest_o,
  input  logic               oldest_done_i,
  input  dma_pkg::stop_t     read_stop_i,
  input  dma_pkg::stop_t     write_stop_i,
  input  logic               unknown_answer_i,
  input  logic               crc_valid_i,
  input  logic         [5:0] crc_entry_i,
  input  logic        [31:0] crc_value_i,
  input  logic               crc_wrong_i,
  input  logic               back_settled_i,
  // For observers.
  output logic               taken_o,          // The arbiter chose a packet, faulty ones included
  output logic         [3:0] taken_ring_o,
  output logic         [5:0] taken_entry_o,
  output logic               done_o,           // A packet is complete
  output logic         [5:0] done_entry_o,
  output logic         [3:0] done_ring_o,
  output logic         [6:0] done_pairs_o,
  output logic        [22:0] done_bytes_o,
  output logic   [Rings-1:0] stopping_o,       // Rings that record a fault in this cycle
  output logic               rest_o,           // Nothing is in flight
  output logic               idle_o            // Nothing changes without inputs: the clock may stop
);
  logic [Rings*64-1:0] tx_base, rx_base;
  logic [Rings*24-1:0] size;
  logic [Rings*32-1:0] released;
  logic [Rings*2-1:0]  ring_class, tx_offset, rx_offset;
  logic [Rings-1:0]    stopped, waiting, kill, restart, broken, busy, eligible, hungry, ready;
  logic [1:0]          policy;
  logic [63:0]         rate;
  logic [79:0]         depth;

  // Fetch.
  logic             fetch, batch, beat, beat_rx, fetch_stop, fetch_stray, batches_room;
  logic [RingW-1:0] fetch_ring, batch_ring, beat_ring;
  logic [6:0]       fetch_pairs, batch_pairs;
  logic [23:0]      fetch_index, fetch_stop_index;
  logic [SlotW-1:0] fetch_slot, beat_slot, push_slot;
  logic [2:0]       beat_count;
  logic [4:0]       fetch_stop_fault;
  logic [63:0]      fetch_stop_address;
  logic             push, push_room;

  dma_fetch #(.Rings(Rings), .PrefetchPairs(PrefetchPairs)) u_fetch (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .tx_base_i       (tx_base),
    .rx_base_i       (rx_base),
    .class_i         (ring_class),
    .kill_i          (kill),
    .enable_i        (batches_room),
    .eligible_i      (eligible),
    .busy_o          (busy),
    .fetch_o         (fetch),
    .ring_o          (fetch_ring),
    .pairs_i         (fetch_pairs),
    .index_i         (fetch_index),
    .slot_i          (fetch_slot),
    .request_valid_o (fetch_valid_o),
    .request_o       (fetch_request_o),
    .answer_i        (fetch_answer_i),
    .beat_o          (beat),
    .beat_rx_o       (beat_rx),
    .beat_ring_o     (beat_ring),
    .beat_slot_o     (beat_slot),
    .beat_count_o    (beat_count),
    .batch_o         (batch),
    .batch_ring_o    (batch_ring),
    .batch_pairs_o   (batch_pairs),
    .stop_o          (fetch_stop),
    .stop_fault_o    (fetch_stop_fault),
    .stop_index_o    (fetch_stop_index),
    .stop_address_o  (fetch_stop_address),
    .stray_o         (fetch_stray)
  );

  assign push_ready_o = push_room && batches_room && (32'(push_ring_i) < Rings);
  assign push         = push_valid_i && push_ready_o;

  // Scan.
  logic             scan, scan_push, batches_empty, found;
  logic [RingW-1:0] scan_ring;
  logic [SlotW-1:0] scan_slot;
  logic [23:0]      scan_index;
  logic [1:0]       scan_phase;
  logic [255:0]     scan_pair;
  dma_pkg::ready_t  found_packet;

  dma_batches #(.Rings(Rings), .PrefetchPairs(PrefetchPairs)) u_batches (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .kill_i          (kill),
    .room_o          (batches_room),
    .fetched_i       (batch),
    .fetched_ring_i  (batch_ring),
    .fetched_pairs_i (batch_pairs),
    .pushed_i        (push),
    .pushed_ring_i   (push_ring_i[RingW-1:0]),
    .pair_o          (scan),
    .ring_o          (scan_ring),
    .from_push_o     (scan_push),
    .empty_o         (batches_empty)
  );

  dma_scan #(.Rings(Rings)) u_scan (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (kill),
    .valid_i        (scan),
    .ring_i         (scan_ring),
    .tx_i           (scan_pair[127:0]),
    .rx_i           (scan_pair[255:128]),
    .phase_check_i  (!scan_push),
    .phase_i        (scan_phase),
    .index_i        (scan_index),
    .packet_valid_o (found),
    .packet_o       (found_packet),
    .broken_o       (broken)
  );

  // Dispatch.
  logic              grant, good, hold_q, table_full, table_empty, settled;
  logic [RingW-1:0]  grant_ring;
  logic [1:0]        grant_class;
  dma_pkg::ready_t   grant_packet;
  logic [EntryW-1:0] grant_entry;
  logic [SlotW-1:0]  grant_slot;
  logic              allowed;

  dma_ready #(.Rings(Rings), .PrefetchPairs(PrefetchPairs)) u_ready (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (kill),
    .push_i        (found),
    .push_ring_i   (scan_ring),
    .push_packet_i (found_packet),
    .waiting_o     (ready),
    .ring_i        (grant_ring),
    .packet_o      (grant_packet),
    .pop_i         (taken_o)
  );

  assign allowed = source_idle_i && !target_full_i && !hold_q && !table_full;
  qos_arbiter #(.Requesters(Rings)) u_arbiter (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .policy_i      (policy),
    .rate_i        (rate),
    .depth_i       (depth),
    .enable_i      (allowed),
    .req_i         (ready),
    .class_i       (ring_class),
    .bytes_i       (grant_packet.bytes),
    .grant_valid_o (grant),
    .grant_o       (),
    .grant_index_o (grant_ring),
    .grant_class_o (grant_class),
    .by_right_o    (),
    .balance_o     (),
    .settled_o     (settled)
  );

  assign good          = grant_packet.fault == dma_spec_pkg::FaultNone;
  assign taken_o       = allowed && grant;
  assign taken_ring_o  = 4'(grant_ring);
  assign taken_entry_o = 6'(grant_entry);
  assign dispatch_o    = taken_o && good;

  always_comb begin
    packet_o.entry         = 6'(grant_entry);
    packet_o.ring          = 4'(grant_ring);
    packet_o.slot          = 7'(grant_slot);
    packet_o.pairs         = grant_packet.pairs;
    packet_o.op            = grant_packet.op;
    packet_o.src_dtype     = 4'(grant_packet.src_dtype);
    packet_o.dst_dtype     = 4'(grant_packet.dst_dtype);
    packet_o.crc           = grant_packet.crc;
    packet_o.crc_expected  = grant_packet.crc_expected;
    packet_o.traffic_class = grant_class;
  end

  // A faulty packet keeps the source for a cycle, the minimum for a good one.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hold_q <= 1'b0;
    end else begin
      hold_q <= taken_o && !good;
    end
  end

  // Packet table.
  logic              free, read_stop, write_stop, crc_valid, packet_stop;
  logic [RingW-1:0]  free_ring, read_stop_ring, write_stop_ring, crc_ring, packet_stop_ring;
  logic [RingW-1:0]  done_ring;
  logic [6:0]        free_pairs;
  logic [23:0]       read_stop_index, write_stop_index, crc_index, packet_stop_index;
  logic [4:0]        packet_stop_fault;
  logic [EntryW-1:0] oldest, done_entry;

  dma_packets #(.Rings(Rings), .Packets(Packets)) u_packets (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .size_i             (size),
    .kill_i             (kill),
    .full_o             (table_full),
    .empty_o            (table_empty),
    .entry_o            (grant_entry),
    .dispatch_i         (taken_o),
    .ring_i             (grant_ring),
    .packet_i           (grant_packet),
    .source_done_i      (source_done_i),
    .source_entry_i     (source_done_entry_i[EntryW-1:0]),
    .target_done_i      (target_done_i),
    .target_entry_i     (target_done_entry_i[EntryW-1:0]),
    .free_o             (free),
    .free_ring_o        (free_ring),
    .free_pairs_o       (free_pairs),
    .dead_o             (dead_o),
    .oldest_o           (oldest),
    .oldest_done_i      (oldest_done_i),
    .done_o             (done_o),
    .done_entry_o       (done_entry),
    .done_ring_o        (done_ring),
    .done_pairs_o       (done_pairs_o),
    .done_bytes_o       (done_bytes_o),
    .stop_o             (packet_stop),
    .stop_ring_o        (packet_stop_ring),
    .stop_fault_o       (packet_stop_fault),
    .stop_index_o       (packet_stop_index),
    .read_stop_i        (read_stop_i),
    .read_stop_o        (read_stop),
    .read_stop_ring_o   (read_stop_ring),
    .read_stop_index_o  (read_stop_index),
    .write_stop_i       (write_stop_i),
    .write_stop_o       (write_stop),
    .write_stop_ring_o  (write_stop_ring),
    .write_stop_index_o (write_stop_index),
    .crc_valid_i        (crc_valid_i),
    .crc_entry_i        (crc_entry_i[EntryW-1:0]),
    .crc_valid_o        (crc_valid),
    .crc_ring_o         (crc_ring),
    .crc_index_o        (crc_index)
  );
  assign oldest_o     = 6'(oldest);
  assign done_entry_o = 6'(done_entry);
  assign done_ring_o  = 4'(done_ring);

  dma_rings #(.Rings(Rings), .PrefetchPairs(PrefetchPairs)) u_rings (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .released_i       (released),
    .size_i           (size),
    .tx_offset_i      (tx_offset),
    .rx_offset_i      (rx_offset),
    .stopped_i        (stopped),
    .kill_i           (kill),
    .restart_i        (restart),
    .broken_i         (broken),
    .busy_i           (busy),
    .eligible_o       (eligible),
    .hungry_o         (hungry),
    .fetch_i          (fetch),
    .fetch_ring_i     (fetch_ring),
    .fetch_pairs_o    (fetch_pairs),
    .fetch_index_o    (fetch_index),
    .fetch_slot_o     (fetch_slot),
    .push_i           (push),
    .push_ring_i      (push_ring_i[RingW-1:0]),
    .push_ready_o     (push_room),
    .push_slot_o      (push_slot),
    .scan_i           (scan),
    .scan_ring_i      (scan_ring),
    .scan_slot_o      (scan_slot),
    .scan_index_o     (scan_index),
    .scan_phase_o     (scan_phase),
    .dispatch_i       (dispatch_o),
    .dispatch_ring_i  (grant_ring),
    .dispatch_pairs_i (grant_packet.pairs),
    .dispatch_slot_o  (grant_slot),
    .free_i           (free),
    .free_ring_i      (free_ring),
    .free_pairs_i     (free_pairs)
  );

  dma_prefetch #(.Rings(Rings), .PrefetchPairs(PrefetchPairs)) u_prefetch (
    .clk_i          (clk_i),
    .beat_i         (beat),
    .beat_rx_i      (beat_rx),
    .beat_ring_i    (beat_ring),
    .beat_slot_i    (beat_slot),
    .beat_count_i   (beat_count),
    .beat_data_i    (fetch_data_i),
    .push_i         (push),
    .push_ring_i    (push_ring_i[RingW-1:0]),
    .push_slot_i    (push_slot),
    .push_pair_i    (push_pair_i),
    .scan_ring_i    (scan_ring),
    .scan_slot_i    (scan_slot),
    .scan_pair_o    (scan_pair),
    .source_read_i  (source_read_i),
    .source_ring_i  (source_ring_i[RingW-1:0]),
    .source_slot_i  (source_slot_i[SlotW-1:0]),
    .source_pairs_o (source_pairs_o),
    .target_read_i  (target_read_i),
    .target_ring_i  (target_ring_i[RingW-1:0]),
    .target_slot_i  (target_slot_i[SlotW-1:0]),
    .target_pairs_o (target_pairs_o)
  );

  // Registers; stops in order of increasing priority.
  logic [dma_pkg::Stops-1:0]       stop;
  logic [dma_pkg::Stops*RingW-1:0] stop_ring;
  logic [dma_pkg::Stops*5-1:0]     stop_fault;
  logic [dma_pkg::Stops*24-1:0]    stop_index;
  logic [dma_pkg::Stops*64-1:0]    stop_address;
  always_comb begin
    stop[dma_pkg::StopFetch]  = fetch_stop;
    stop[dma_pkg::StopStray]  = fetch_stray || unknown_answer_i;
    stop[dma_pkg::StopWrite]  = write_stop;
    stop[dma_pkg::StopPacket] = packet_stop;
    stop[dma_pkg::StopCrc]    = crc_valid && crc_wrong_i;
    stop[dma_pkg::StopRead]   = read_stop;
    stop_ring    = {read_stop_ring, crc_ring, packet_stop_ring, write_stop_ring, RingW'(0),
                    batch_ring};
    stop_fault   = {read_stop_i.fault, dma_spec_pkg::FaultCrc, packet_stop_fault,
                    write_stop_i.fault, dma_spec_pkg::FaultCompletion, fetch_stop_fault};
    stop_index   = {read_stop_index, crc_index, packet_stop_index, write_stop_index, 24'd0,
                    fetch_stop_index};
    stop_address = {read_stop_i.address, 64'd0, 64'd0, write_stop_i.address, 64'd0,
                    fetch_stop_address};
  end

  logic active;
  assign active = (busy != '0) || !table_empty || (waiting != '0);

  dma_regs #(.Rings(Rings)) u_regs (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .cfg_policy_i   (cfg_policy_i),
    .cfg_rate_i     (cfg_rate_i),
    .cfg_depth_i    (cfg_depth_i),
    .reg_valid_i    (reg_valid_i),
    .reg_write_i    (reg_write_i),
    .reg_offset_i   (reg_offset_i),
    .reg_data_i     (reg_data_i),
    .reg_ok_o       (reg_ok_o),
    .reg_data_o     (reg_data_o),
    .stop_i         (stop),
    .stop_ring_i    (stop_ring),
    .stop_fault_i   (stop_fault),
    .stop_index_i   (stop_index),
    .stop_address_i (stop_address),
    .push_i         (push),
    .push_ring_i    (push_ring_i[RingW-1:0]),
    .done_i         (done_o),
    .done_ring_i    (done_ring),
    .done_pairs_i   (done_pairs_o),
    .crc_i          (crc_valid),
    .crc_ring_i     (crc_ring),
    .crc_value_i    (crc_value_i),
    .active_i       (active),
    .tx_base_o      (tx_base),
    .rx_base_o      (rx_base),
    .size_o         (size),
    .released_o     (released),
    .class_o        (ring_class),
    .stopped_o      (stopped),
    .waiting_o      (waiting),
    .kill_o         (kill),
    .restart_o      (restart),
    .stopping_o     (stopping_o),
    .policy_o       (policy),
    .rate_o         (rate),
    .depth_o        (depth)
  );

  for (genvar r = 0; r < Rings; r++) begin : gen_offset
    assign tx_offset[2*r+:2] = tx_base[64*r+8+:2];
    assign rx_offset[2*r+:2] = rx_base[64*r+8+:2];
  end

  // Counters of the mover and token buckets keep changing for a while after the last packet.
  assign rest_o = (hungry == '0) && (busy == '0) && batches_empty && (ready == '0) && table_empty;
  assign idle_o = rest_o && !hold_q && settled && back_settled_i;

  `TERN_ASSERT_INIT(SizesFit, Rings >= 2 && Rings <= 16 && Rings == (1 << RingW) &&
                    PrefetchPairs >= 8 && PrefetchPairs <= 128 && PrefetchPairs == (1 << SlotW) &&
                    Packets >= 2 && Packets <= 64 && Packets == (1 << EntryW))
endmodule
