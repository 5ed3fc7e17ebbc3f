// SPDX-License-Identifier: Apache-2.0
// Proved properties of the sources' dma_pieces (README.md, "Order and completion", "Source"):
// included by formal tools only. A packet whose first pair has `dmb` begins when its entry is the
// oldest of the packet table, and then at once; no other packet waits. Reset is active in the first
// cycle only.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// What dma_source guarantees: a packet stays until it is done. Its first pair has `dmb` or has not.
(* anyseq *) logic f_dispatch, f_new_barrier;
logic f_busy = 1'b0, f_barrier = 1'b0;
logic f_was_oldest = 1'b0;  // In a cycle since its dispatch
logic f_begun = 1'b0;       // A run has been set up
dma_pkg::packet_t f_packet = '0;
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    if (f_busy) begin
      f_busy       <= !done_o;
      f_was_oldest <= f_was_oldest || !hold_i;
      f_begun      <= f_begun || set_up;
    end else begin
      f_busy       <= f_dispatch;
      f_barrier    <= f_new_barrier;
      f_was_oldest <= 1'b0;
      f_begun      <= 1'b0;
    end
    f_packet <= packet_i;
  end
end
always_comb begin
  assume (packet_valid_i == f_busy);
  assume (!f_was_busy || !f_busy || packet_i == f_packet);
  assume (!go_i || piece_valid_o);
  assume (!read_o || slot_o != packet_i.slot || tx[dma_spec_pkg::DescDmbLsb] == f_barrier);
end
logic f_was_busy = 1'b0;  // In the cycle before, too
always_ff @(posedge clk_i) f_was_busy <= f_busy && rst_ni;

always_comb begin
  if (f_started) begin
    /* BarrierHolds */ assert (!f_barrier || !f_busy || f_was_oldest || !hold_i ||
                               (!set_up && !piece_valid_o && !done_o));
    /* BeginsAtOnce */ assert (!f_busy || f_begun || set_up == (!f_barrier || !hold_i));
    /* NoneInside */ assert (!f_begun || !f_busy || set_up == !piece_valid_o);
    // Invariants.
    /* Begun */ assert (started_q == (f_begun && f_busy));
    /* Pieces */ assert (!pieces_q || (f_busy && f_begun));
    /* FirstPair */ assert (f_begun || pair_q == '0);
    /* Oldest */ assert (!f_begun || !f_barrier || !f_busy || f_was_oldest);
  end
end
