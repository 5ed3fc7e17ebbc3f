// SPDX-License-Identifier: Apache-2.0
// Proved properties of dma_packets (README.md, "Completion", "Stops", "Fetch"): included by formal
// tools only. Packets leave the table once and in the order of their dispatch; a dead one moves no
// head; slots are freed when both sides have read a packet. Reset is active in the first cycle
// only.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// By entry: in the table; good, and not read out by the source, by the target.
logic [Packets-1:0] f_inside = '0, f_source = '0, f_target = '0, f_at_new, f_good;
logic [EntryW:0]    f_count;
assign f_count  = new_q - old_q;
assign f_at_new = (dispatch_i && rst_ni) ? Packets'(1) << new_entry : '0;
always_comb begin
  for (int unsigned e = 0; e < Packets; e++) f_good[e] = fault_q[e] == dma_spec_pkg::FaultNone;
end
always_ff @(posedge clk_i) begin
  f_inside <= (f_inside & ~(pop ? Packets'(1) << old_entry : '0)) | f_at_new;
  f_source <= (f_source & ~(source_done_i ? Packets'(1) << source_entry_i : '0)) |
              (packet_i.fault == dma_spec_pkg::FaultNone ? f_at_new : '0);
  f_target <= (f_target & ~(target_done_i ? Packets'(1) << target_entry_i : '0)) |
              (packet_i.fault == dma_spec_pkg::FaultNone ? f_at_new : '0);
end

// What the other parts guarantee: room; both sides read every good packet once, in the order of
// dispatch, and before it is complete.
logic [EntryW-1:0] f_distance [Packets];
for (genvar e = 0; e < Packets; e++) begin : gen_distance
  assign f_distance[e] = EntryW'(e) - old_entry;
end
always_comb begin
  assume (!dispatch_i || !full_o);
  assume (!source_done_i || f_source[source_entry_i]);
  assume (!target_done_i || f_target[target_entry_i]);
  assume (!oldest_done_i || (!f_source[old_entry] && !f_target[old_entry]));
  for (int unsigned e = 0; e < Packets; e++) begin
    assume (!source_done_i || !f_source[e] || f_distance[e] >= f_distance[source_entry_i]);
    assume (!target_done_i || !f_target[e] || f_distance[e] >= f_distance[target_entry_i]);
  end
end

always_comb begin
  if (f_started) begin
    /* TableBounded */ assert (f_count <= (EntryW+1)'(Packets));
    for (int unsigned e = 0; e < Packets; e++) begin
      /* InsideIsRange */ assert (f_inside[e] == ((EntryW+1)'(f_distance[e]) < f_count));
      /* ReadsGood */ assert (!(f_source[e] || f_target[e]) || (f_inside[e] && f_good[e]));
      /* HalfIsOne */ assert (!f_inside[e] || !f_good[e] ||
                              half_q[e] == !(f_source[e] && f_target[e]));
      for (int unsigned g = 0; g < Packets; g++) begin
        /* ReadInOrder */ assert (!(f_inside[g] && f_good[g] && f_distance[e] < f_distance[g]) ||
            ((!f_source[e] || f_source[g]) && (!f_target[e] || f_target[g])));
      end
    end
    /* OneReadOut */ assert (!(source_second && target_second));
  end
end

// Any one packet, chosen at its dispatch: it leaves once, after all that precede it.
(* anyseq *) logic f_choose;
logic              f_chosen = 1'b0, f_stays = 1'b0, f_dead = 1'b0, f_takes, f_leaves, f_frees;
logic              f_src_left = 1'b0, f_tgt_left = 1'b0;  // Not read by the source, the target
logic [EntryW-1:0] f_entry = '0;
logic [EntryW:0]   f_ahead = '0;                          // Packets before it
logic [RingW-1:0]  f_ring = '0;
logic [6:0]        f_pairs = '0;
logic [4:0]        f_fault = '0;
assign f_takes  = f_choose && !f_chosen && dispatch_i && rst_ni;
assign f_leaves = f_stays && pop && f_ahead == '0;
assign f_frees  = f_stays && free_o && free_entry == f_entry;
always_ff @(posedge clk_i) begin
  if (f_takes) begin
    f_chosen   <= 1'b1;
    f_stays    <= 1'b1;
    f_entry    <= entry_o;
    f_ahead    <= f_count - (EntryW+1)'(pop);
    f_ring     <= ring_i;
    f_pairs    <= packet_i.pairs;
    f_fault    <= packet_i.fault;
    f_dead     <= kill_i[ring_i];
    f_src_left <= packet_i.fault == dma_spec_pkg::FaultNone;
    f_tgt_left <= packet_i.fault == dma_spec_pkg::FaultNone;
  end else if (f_stays) begin
    f_stays <= !f_leaves;
    f_ahead <= f_ahead - (EntryW+1)'(pop);
    f_dead  <= f_dead || kill_i[f_ring];
    if (source_done_i && source_entry_i == f_entry) f_src_left <= 1'b0;
    if (target_done_i && target_entry_i == f_entry) f_tgt_left <= 1'b0;
  end
end

logic f_src_now, f_tgt_now;
assign f_src_now = source_done_i && source_entry_i == f_entry;
assign f_tgt_now = target_done_i && target_entry_i == f_entry;
always_comb begin
  if (f_started && f_stays) begin
    /* Chosen */ assert (f_chosen);
    /* KeepsOrder */ assert (f_ahead < f_count && (EntryW+1)'(f_distance[f_entry]) == f_ahead);
    /* KeepsRecord */ assert (ring_q[f_entry] == f_ring && pairs_q[f_entry] == f_pairs &&
                              fault_q[f_entry] == f_fault);
    /* DeadIsKilled */ assert (dead_q[f_entry] == f_dead);
    /* Sides */ assert (f_source[f_entry] == f_src_left && f_target[f_entry] == f_tgt_left);
    // "Dead: its ring's head does not move"; otherwise by its pairs, once, in its turn.
    /* MovesHead */ assert (!f_leaves || done_o == (!f_dead && f_fault == '0));
    /* HeadOfRing */ assert (!f_leaves || !done_o || (done_ring_o == f_ring &&
                                                      done_pairs_o == f_pairs));
    // "When it is the oldest entry that is not complete, in that cycle its ring stops."
    /* FaultyStops */ assert (f_fault == '0 || f_ahead != '0 || (pop && stop_o == !f_dead));
    /* StopOfRing */ assert (!f_leaves || !stop_o || (stop_ring_o == f_ring &&
                                                      stop_fault_o == f_fault && f_fault != '0));
    // "Complete when all its writes are": a good one leaves with oldest_done_i only.
    /* WaitsForWrites */ assert (!f_leaves || f_fault != '0 || oldest_done_i);
    // "Has been read out by dma_source and dma_target": in the cycle of the second one.
    /* FreesWhenRead */ assert (f_frees == ((f_src_left || f_tgt_left) &&
        (!f_src_left || f_src_now) && (!f_tgt_left || f_tgt_now)));
    /* FreesPairs */ assert (!f_frees || (free_ring_o == f_ring && free_pairs_o == f_pairs));
    /* FreedBeforeComplete */ assert (!f_leaves || f_fault != '0 || (!f_src_left && !f_tgt_left));
  end
end
