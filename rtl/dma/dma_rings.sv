// SPDX-License-Identifier: Apache-2.0
// Progress of the rings: how far they are fetched and scanned, and the slots of their prefetch
// buffers. Counters of slots have one bit more than a slot number: freed, dispatched, scanned, put,
// in this order.
module dma_rings #(
  parameter int unsigned Rings = dma_spec_pkg::Rings,
  parameter int unsigned PrefetchPairs = dma_spec_pkg::PrefetchPairs,
  localparam int unsigned RingW = $clog2(Rings),
  localparam int unsigned SlotW = $clog2(PrefetchPairs)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Registers of the rings.
  input  logic [Rings*32-1:0] released_i,
  input  logic [Rings*24-1:0] size_i,       // 0: none, positions are modulo 2^24
  input  logic [Rings*2-1:0]  tx_offset_i,  // Of the list's base in 1 KiB, in units of 256 bytes
  input  logic [Rings*2-1:0]  rx_offset_i,
  input  logic [Rings-1:0]    stopped_i,
  input  logic [Rings-1:0]    kill_i,       // The ring stops or is set up again: buffer empty
  input  logic [Rings-1:0]    restart_i,
  // Fetch.
  input  logic [Rings-1:0]    broken_i,     // A faulty packet has not reached the head
  input  logic [Rings-1:0]    busy_i,       // A fetch in flight
  output logic [Rings-1:0]    eligible_o,
  output logic [Rings-1:0]    hungry_o,     // Released, not fetched
  input  logic                fetch_i,
  input  logic [RingW-1:0]    fetch_ring_i,
  output logic [6:0]          fetch_pairs_o,
  output logic [23:0]         fetch_index_o,
  output logic [SlotW-1:0]    fetch_slot_o,
  // Hardware-made pairs.
  input  logic                push_i,       // Only if push_ready_o
  input  logic [RingW-1:0]    push_ring_i,
  output logic                push_ready_o,
  output logic [SlotW-1:0]    push_slot_o,
  // The pair that is checked.
  input  logic                scan_i,
  input  logic [RingW-1:0]    scan_ring_i,
  output logic [SlotW-1:0]    scan_slot_o,
  output logic [23:0]         scan_index_o,
  output logic [1:0]          scan_phase_o,
  // A good packet is dispatched; the slots of one are freed.
  input  logic                dispatch_i,
  input  logic [RingW-1:0]    dispatch_ring_i,
  input  logic [6:0]          dispatch_pairs_i,
  output logic [SlotW-1:0]    dispatch_slot_o,
  input  logic                free_i,
  input  logic [RingW-1:0]    free_ring_i,
  input  logic [6:0]          free_pairs_i
);
  logic [Rings*7-1:0]     want;
  logic [Rings*24-1:0]    position, scan_position;
  logic [Rings*2-1:0]     scan_phase;
  logic [Rings*SlotW-1:0] put_slot, scan_slot, dispatch_slot;
  logic [Rings-1:0]       push_room;

  assign fetch_pairs_o   = want[7*fetch_ring_i+:7];
  assign fetch_index_o   = position[24*fetch_ring_i+:24];
  assign fetch_slot_o    = put_slot[SlotW*fetch_ring_i+:SlotW];
  assign push_ready_o    = push_room[push_ring_i];
  assign push_slot_o     = put_slot[SlotW*push_ring_i+:SlotW];
  assign scan_slot_o     = scan_slot[SlotW*scan_ring_i+:SlotW];
  assign scan_index_o    = scan_position[24*scan_ring_i+:24];
  assign scan_phase_o    = scan_phase[2*scan_ring_i+:2];
  assign dispatch_slot_o = dispatch_slot[SlotW*dispatch_ring_i+:SlotW];

  for (genvar r = 0; r < Rings; r++) begin : gen_ring
    logic [31:0]    fetched_q;
    logic [23:0]    position_q, scan_position_q;
    logic [1:0]     scan_phase_q;
    logic [SlotW:0] put_q, scan_q, dispatched_q, freed_q;

    logic           fetch, push, scan, dispatch, free;
    logic [23:0]    size, moved, scan_moved;
    logic [SlotW:0] dispatched, free_slots;
    logic [31:0]    left;
    logic [23:0]    to_wrap;
    logic [5:0]     tx_begin, rx_begin, furthest;
    logic [6:0]     pairs;

    assign fetch    = fetch_i && (fetch_ring_i == RingW'(r));
    assign push     = push_i && (push_ring_i == RingW'(r));
    assign scan     = scan_i && (scan_ring_i == RingW'(r));
    assign dispatch = dispatch_i && (dispatch_ring_i == RingW'(r));
    assign free     = free_i && (free_ring_i == RingW'(r));
    assign size     = size_i[24*r+:24];

    // What the next fetch would take: neither list crosses a multiple of 1 KiB.
    assign left     = released_i[32*r+:32] - fetched_q;
    assign to_wrap  = size - position_q;
    assign tx_begin = {tx_offset_i[2*r+:2], 4'd0} + position_q[5:0];
    assign rx_begin = {rx_offset_i[2*r+:2], 4'd0} + position_q[5:0];
    assign furthest = (tx_begin > rx_begin) ? tx_begin : rx_begin;
    assign free_slots   = (SlotW+1)'(PrefetchPairs) - (put_q - freed_q);
    always_comb begin
      pairs = 7'(dma_spec_pkg::FetchPairs) - 7'(furthest);
      if (left < 32'(pairs)) pairs = left[6:0];
      if (to_wrap < 24'(pairs)) pairs = to_wrap[6:0];
    end
    assign want[7*r+:7]  = pairs;
    assign hungry_o[r]   = (left != 32'd0) && !stopped_i[r];
    assign eligible_o[r] = hungry_o[r] && !busy_i[r] && !broken_i[r] &&
                           (32'(free_slots) >= 32'(pairs));
    // Pairs of both kinds keep their order: none is pushed ahead of fetched ones.
    assign push_room[r]  = (left == 32'd0) && !stopped_i[r] && !busy_i[r] && (free_slots != '0);

    assign position[24*r+:24]            = position_q;
    assign put_slot[SlotW*r+:SlotW]      = put_q[SlotW-1:0];
    assign scan_slot[SlotW*r+:SlotW]     = scan_q[SlotW-1:0];
    assign scan_position[24*r+:24]       = scan_position_q;
    assign scan_phase[2*r+:2]            = scan_phase_q;
    assign dispatch_slot[SlotW*r+:SlotW] = dispatched_q[SlotW-1:0];

    assign moved      = position_q + (fetch ? 24'(pairs) : 24'd1);
    assign scan_moved = scan_position_q + 24'd1;
    assign dispatched = dispatched_q + (dispatch ? (SlotW+1)'(dispatch_pairs_i) : '0);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        fetched_q       <= '0;
        position_q      <= '0;
        scan_position_q <= '0;
        scan_phase_q    <= 2'd1;
        put_q           <= '0;
        scan_q          <= '0;
        dispatched_q    <= '0;
        freed_q         <= '0;
      end else begin
        if (fetch || push) begin
          fetched_q  <= fetched_q + (fetch ? 32'(pairs) : 32'd1);
          position_q <= (moved == size) ? 24'd0 : moved;
          put_q      <= put_q + (fetch ? (SlotW+1)'(pairs) : (SlotW+1)'(1));
        end
        if (scan) begin
          scan_q          <= scan_q + 1'b1;
          scan_position_q <= (scan_moved == size) ? 24'd0 : scan_moved;
          if (scan_moved == size) scan_phase_q <= scan_phase_q + 2'd1;
        end
        if (dispatch) dispatched_q <= dispatched;
        if (free) freed_q <= freed_q + (SlotW+1)'(free_pairs_i);
        if (kill_i[r]) begin
          put_q  <= dispatched;
          scan_q <= dispatched;
        end
        if (restart_i[r]) begin
          fetched_q       <= '0;
          position_q      <= '0;
          scan_position_q <= '0;
          scan_phase_q    <= 2'd1;
        end
      end
    end
  end

`ifdef FORMAL
`include "dma_rings_properties.svh"
`endif
endmodule
