// SPDX-License-Identifier: Apache-2.0
// Proved properties of dma_rings (README.md, "Rings and doorbells", "Fetch"): included by formal
// tools only. A fetch stays inside its list, inside what is released and inside free slots; pairs
// are taken once and in order, and the scan reads each from the slot that it was put into. Reset is
// active in the first cycle only.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// Any one ring, and its registers.
(* anyconst *) logic [RingW-1:0] f_ring;
logic [Rings*32-1:0] f_fetched_all;
logic [Rings*(SlotW+1)-1:0] f_put_all, f_scan_all, f_dispatched_all, f_freed_all;
for (genvar r = 0; r < Rings; r++) begin : gen_state
  assign f_fetched_all[32*r+:32]                    = gen_ring[r].fetched_q;
  assign f_put_all[(SlotW+1)*r+:SlotW+1]            = gen_ring[r].put_q;
  assign f_scan_all[(SlotW+1)*r+:SlotW+1]           = gen_ring[r].scan_q;
  assign f_dispatched_all[(SlotW+1)*r+:SlotW+1]     = gen_ring[r].dispatched_q;
  assign f_freed_all[(SlotW+1)*r+:SlotW+1]          = gen_ring[r].freed_q;
end
logic [31:0]    f_fetched;
logic [SlotW:0] f_put, f_scan, f_dispatched, f_freed;
assign f_fetched    = f_fetched_all[32*f_ring+:32];
assign f_put        = f_put_all[(SlotW+1)*f_ring+:SlotW+1];
assign f_scan       = f_scan_all[(SlotW+1)*f_ring+:SlotW+1];
assign f_dispatched = f_dispatched_all[(SlotW+1)*f_ring+:SlotW+1];
assign f_freed      = f_freed_all[(SlotW+1)*f_ring+:SlotW+1];

// Events of this ring in this cycle.
logic f_fetches, f_pushes, f_scans, f_dispatches, f_frees, f_kills, f_restarts;
assign f_fetches    = fetch_i && fetch_ring_i == f_ring;
assign f_pushes     = push_i && push_ring_i == f_ring;
assign f_scans      = scan_i && scan_ring_i == f_ring;
assign f_dispatches = dispatch_i && dispatch_ring_i == f_ring;
assign f_frees      = free_i && free_ring_i == f_ring;
assign f_kills      = kill_i[f_ring];
assign f_restarts   = restart_i[f_ring];
logic [6:0] f_pairs, f_taken;  // Of the next fetch; taken in this cycle
assign f_pairs = want[7*f_ring+:7];
assign f_taken = f_fetches ? f_pairs : 7'(f_pushes);

// Registers as dma_regs keeps them. From the head to the tail there are never more pairs than the
// ring has after a doorbell; so much the less from what is taken, which the head follows. A stop
// lasts until the next restart; the size is written by a restart only.
(* anyseq *) logic [23:0] f_bell, f_new_size;
(* anyseq *) logic        f_new_stopped;
logic [23:0] f_size = '0;
logic        f_stopped = 1'b0;
// Pairs since the restart: released, taken.
logic [31:0] f_released = '0, f_count = '0, f_left;
// The next pair: its position in the ring.
logic [24:0] f_index = '0;
logic [24:0] f_positions, f_next;  // Of the ring; after this cycle
logic [6:0]  f_dispatched_now, f_freed_now;
assign f_dispatched_now = f_dispatches ? dispatch_pairs_i : '0;
assign f_freed_now      = f_frees ? free_pairs_i : '0;
assign f_positions      = (f_size == '0) ? 25'h100_0000 : {1'b0, f_size};
assign f_left           = f_released - f_count;
assign f_next           = f_index + 25'(f_taken);
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    f_released     <= f_released + 32'(f_bell) + 32'(f_pushes);
    f_count        <= f_count + 32'(f_taken);
    f_index        <= (f_next == f_positions) ? '0 : f_next;
    if (f_kills) f_stopped <= 1'b1;
    if (f_restarts) begin
      f_size     <= f_new_size;
      f_stopped  <= f_new_stopped;
      f_released <= '0;
      f_count    <= '0;
      f_index    <= '0;
    end
  end
end
always_comb begin
  assume (released_i[32*f_ring+:32] == f_released);
  assume (size_i[24*f_ring+:24] == f_size);
  assume (stopped_i[f_ring] == f_stopped);
  assume (f_kills || !f_restarts);
  assume (f_new_size >= 24'(dma_spec_pkg::RingSizeMin) || (f_new_stopped && f_new_size == '0));
  assume (f_bell == '0 || (!f_stopped && f_size != '0 &&
                           {1'b0, f_left} + 33'(f_bell) <= 33'(f_size)));
  // The other parts: who is served is eligible; the scan gets pairs that have arrived, the arbiter
  // those that are scanned; slots are freed after dispatch.
  assume (!fetch_i || eligible_o[fetch_ring_i]);
  assume (!push_i || push_ready_o);
  assume (!f_scans || (!f_stopped && f_unscanned != '0));
  assume (!f_dispatches || (!f_stopped && dispatch_pairs_i != '0 &&
                            8'(dispatch_pairs_i) <= f_scanned_now));
  assume (8'(f_freed_now) <= f_dispatched_held);
end
// Slots: in use; not dispatched; not scanned; scanned and not dispatched; dispatched; free.
logic [SlotW:0] f_held, f_undispatched, f_unscanned, f_scanned_now, f_dispatched_held, f_free;
assign f_held            = f_put - f_freed;
assign f_undispatched    = f_put - f_dispatched;
assign f_unscanned       = f_put - f_scan;
assign f_scanned_now     = f_scan - f_dispatched;
assign f_dispatched_held = f_dispatched - f_freed;
assign f_free            = (SlotW+1)'(PrefetchPairs) - f_held;

// What is fetched next: "want = min(64, tail - fetched, size - fetched mod size)", cut at 1 KiB.
logic [6:0]  f_tx_room, f_rx_room;
logic [5:0]  f_tx_at, f_rx_at;  // In a window of 1 KiB, in descriptors
logic        f_hungry;
logic [24:0] f_end;
assign f_tx_at     = {tx_offset_i[2*f_ring+:2], 4'd0} + f_index[5:0];
assign f_rx_at     = {rx_offset_i[2*f_ring+:2], 4'd0} + f_index[5:0];
assign f_tx_room   = 7'd64 - {1'b0, f_tx_at};
assign f_rx_room   = 7'd64 - {1'b0, f_rx_at};
assign f_hungry    = !f_stopped && f_left != '0;
assign f_end       = f_index + 25'(f_pairs);
always_comb begin
  if (f_started && f_hungry) begin
    /* SomePairs */ assert (f_pairs != '0 && 32'(f_pairs) <= dma_spec_pkg::FetchPairs);
    /* InsideReleased */ assert (32'(f_pairs) <= f_left);
    /* InsideRing */ assert (f_end <= {1'b0, f_size});
    /* InsideBursts */ assert (f_pairs <= f_tx_room && f_pairs <= f_rx_room);
    /* NoFewer */ assert (32'(f_pairs) == f_left || f_end == {1'b0, f_size} ||
                          f_pairs == f_tx_room || f_pairs == f_rx_room);
  end
  if (f_started) begin
    /* Room */ assert (8'(f_taken) <= f_free);
    /* Hungry */ assert (hungry_o[f_ring] == f_hungry);
    /* Eligible */ assert (eligible_o[f_ring] == (f_hungry && !busy_i[f_ring] &&
                                                  !broken_i[f_ring] && 8'(f_pairs) <= f_free));
    /* PushRoom */ assert (push_room[f_ring] == (!f_stopped && f_left == '0 && !busy_i[f_ring] &&
                                                 f_free != '0));
    /* OneKind */ assert (!(f_fetches && f_pushes));
    // Invariants.
    /* Slots */ assert (f_unscanned <= f_undispatched && f_undispatched <= f_held &&
                        32'(f_held) <= PrefetchPairs);
  end
  if (f_started && !f_stopped) begin
    /* InOrder */ assert ({1'b0, position[24*f_ring+:24]} == f_index && f_index < f_positions);
    // Invariants.
    /* Taken */ assert (f_fetched == f_count);
    /* Left */ assert (f_left <= 32'(f_size));
    /* Size */ assert (f_size == '0 || f_size >= 24'(dma_spec_pkg::RingSizeMin));
  end
end

// The scan: from position 0 and phase 1 after a restart, one pair after the other, as they are
// taken. So the n-th pair has the same position in both, and the phase of the same pass.
logic [24:0] f_scan_index = '0;
logic [1:0]  f_scan_phase = 2'd1;
logic        f_scan_ends;
assign f_scan_ends = f_scans && f_scan_index + 25'd1 == f_positions;
always_ff @(posedge clk_i) begin
  if (f_scans) f_scan_index <= f_scan_ends ? '0 : f_scan_index + 25'd1;
  if (f_scan_ends) f_scan_phase <= f_scan_phase + 2'd1;
  if (f_restarts && rst_ni) begin
    f_scan_index <= '0;
    f_scan_phase <= 2'd1;
  end
end
always_comb begin
  if (f_started && !f_stopped) begin
    /* ScanInOrder */ assert ({1'b0, scan_position[24*f_ring+:24]} == f_scan_index &&
                              scan_phase[2*f_ring+:2] == f_scan_phase);
    /* ScanPorts */ assert (!f_scans || ({1'b0, scan_index_o} == f_scan_index &&
                                         scan_phase_o == f_scan_phase));
    /* ScanInside */ assert (f_scan_index < f_positions);
  end
end

`ifdef DMA_RINGS_PAIR
// Any one pair, from the cycle in which it is taken until its slot is free.
(* anyseq *) logic f_choose;
(* anyseq *) logic [6:0] f_offset;
logic             f_chosen = 1'b0, f_lives = 1'b0;
logic             f_waits = 1'b0, f_inside = 1'b0;  // Not scanned; not dispatched
logic [SlotW-1:0] f_slot = '0;
logic [SlotW:0]   f_ticket = '0;  // As the counters of slots count
logic [7:0]       f_to_scan = '0, f_to_dispatch = '0, f_to_free = '0;  // Pairs before it
logic             f_takes, f_scanned, f_leaves, f_ends;
assign f_takes   = f_choose && !f_chosen && f_offset < f_taken && rst_ni;
assign f_scanned = f_lives && f_waits && f_scans && f_to_scan == '0;
assign f_leaves  = f_lives && f_inside && f_dispatches && f_to_dispatch < 8'(dispatch_pairs_i);
assign f_ends    = f_lives && f_frees && f_to_free < 8'(free_pairs_i);
always_ff @(posedge clk_i) begin
  if (f_takes) begin
    f_chosen      <= 1'b1;
    f_lives       <= !f_kills;
    f_waits       <= !f_kills;
    f_inside      <= !f_kills;
    f_slot        <= (f_fetches ? fetch_slot_o : push_slot_o) + SlotW'(f_offset);
    f_ticket      <= f_put + 8'(f_offset);
    f_to_scan     <= f_unscanned + 8'(f_offset) - 8'(f_scans);
    f_to_dispatch <= f_undispatched + 8'(f_offset) - 8'(f_dispatched_now);
    f_to_free     <= f_held + 8'(f_offset) - 8'(f_freed_now);
  end else if (f_lives) begin
    // "A stop frees the slots of all pairs that are not dispatched."
    f_lives  <= !f_ends && !(f_kills && f_inside && !f_leaves);
    f_waits  <= f_waits && !f_scanned && !f_kills;
    f_inside <= f_inside && !f_leaves && !f_kills;
    f_to_scan     <= f_to_scan - 8'(f_scans);
    f_to_dispatch <= f_to_dispatch - 8'(f_dispatched_now);
    f_to_free     <= f_to_free - 8'(f_freed_now);
  end
end
// Its slot as seen from the first one that is filled in this cycle; that of a packet dispatched
// with it; its distance from the counters.
logic [SlotW-1:0] f_distance, f_dispatch_slot;
logic [SlotW:0]   f_from_scan, f_from_dispatched, f_from_freed;
assign f_distance        = f_slot - (f_fetches ? fetch_slot_o : push_slot_o);
assign f_dispatch_slot   = dispatch_slot_o + SlotW'(f_to_dispatch);
assign f_from_scan       = f_ticket - f_scan;
assign f_from_dispatched = f_ticket - f_dispatched;
assign f_from_freed      = f_ticket - f_freed;
always_comb begin
  if (f_started && f_lives) begin
    // Scanned and dispatched in its turn, from the slot that it was put into.
    /* ScanSlot */ assert (!f_scanned || scan_slot_o == f_slot);
    /* DispatchSlot */ assert (!f_leaves || f_dispatch_slot == f_slot);
    // No other pair gets its slot meanwhile.
    /* KeepsSlot */ assert (f_taken == '0 || 7'(f_distance) >= f_taken);
    // Invariants.
    /* Chosen */ assert (f_chosen && (!f_waits || f_inside) && (!f_inside || !f_stopped));
    /* Ticket */ assert (f_ticket[SlotW-1:0] == f_slot);
    /* ToFree */ assert (f_to_free == f_from_freed && f_to_free < f_held &&
                         (f_inside || f_to_free < f_dispatched_held));
    /* ToDispatch */ assert (!f_inside || (f_to_dispatch == f_from_dispatched &&
        f_to_dispatch < f_undispatched && (f_waits || f_to_dispatch < f_scanned_now)));
    /* ToScan */ assert (!f_waits || (f_to_scan == f_from_scan && f_to_scan < f_unscanned));
  end
end
`endif
