// SPDX-License-Identifier: Apache-2.0
// The queue before the scan: batches of pairs that arrived together, one pair leaves per cycle
// (README.md, "Scan"). Batches of a ring that was stopped or restarted meanwhile take their cycles,
// but yield no pairs.
`include "tern_assert.svh"

module dma_batches #(
  parameter int unsigned Rings = dma_spec_pkg::Rings,
  parameter int unsigned PrefetchPairs = dma_spec_pkg::PrefetchPairs,
  localparam int unsigned RingW = $clog2(Rings)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Rings-1:0]  kill_i,         // All that arrived up to and in this cycle is stale
  output logic              room_o,         // For one of each kind, whatever is in flight
  // At most one fetched and one pushed batch per cycle; the fetched one is first.
  input  logic              fetched_i,
  input  logic [RingW-1:0]  fetched_ring_i,
  input  logic [6:0]        fetched_pairs_i,
  input  logic              pushed_i,
  input  logic [RingW-1:0]  pushed_ring_i,
  // The pair to be checked in this cycle.
  output logic              pair_o,
  output logic [RingW-1:0]  ring_o,
  output logic              from_push_o,
  output logic              empty_o
);
  // Live batches hold a slot of a prefetch buffer each, so that only a storm of restarts can fill
  // the queue; the rest that room_o leaves is for the fetches in flight.
  localparam int unsigned Depth  = Rings * PrefetchPairs;
  localparam int unsigned DepthW = $clog2(Depth);
  localparam int unsigned Width  = RingW + 8;

  logic [DepthW:0]   write_q, read_q, used;
  logic [DepthW:0]   write_second;
  logic [6:0]        done_q;                // Pairs of the oldest batch that have left
  logic [DepthW:0]   waiting_q [Rings];     // Batches of a ring in the queue
  logic [DepthW:0]   stale_q [Rings];       // Those of an earlier life of the ring: the oldest
  logic [Rings-1:0]  stale_any_q;

  logic [Width-1:0] head;                   // {pushed, ring, pairs}
  logic [RingW-1:0] head_ring;
  logic             leaves;                 // The oldest batch, with its last pair

  assign used         = write_q - read_q;
  assign room_o       = used < (DepthW+1)'(Depth - Rings - 2);
  assign empty_o      = used == '0;
  assign head_ring    = head[7+:RingW];
  assign leaves       = !empty_o && (done_q + 7'd1 == head[6:0]);
  assign pair_o       = !empty_o && !stale_any_q[head_ring];
  assign ring_o       = head_ring;
  assign from_push_o  = head[Width-1];
  assign write_second = write_q + (DepthW+1)'(fetched_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      done_q  <= '0;
    end else begin
      write_q <= write_second + (DepthW+1)'(pushed_i);
      if (!empty_o) done_q <= leaves ? 7'd0 : done_q + 7'd1;
      if (leaves) read_q <= read_q + 1'b1;
    end
  end

  tern_regfile #(.Width(Width), .Depth(Depth), .Writes(2)) u_words (
    .clk_i          (clk_i),
    .write_i        ({pushed_i, fetched_i}),
    .write_address_i({write_second[DepthW-1:0], write_q[DepthW-1:0]}),
    .write_data_i   ({1'b1, pushed_ring_i, 7'd1, 1'b0, fetched_ring_i, fetched_pairs_i}),
    .read_i         (1'b1),
    .read_address_i (read_q[DepthW-1:0]),
    .read_data_o    (head)
  );

  logic [Rings-1:0] enters_fetched, enters_pushed, leaving;
  always_comb begin
    enters_fetched = '0;
    enters_pushed  = '0;
    leaving        = '0;
    enters_fetched[fetched_ring_i] = fetched_i;
    enters_pushed[pushed_ring_i]   = pushed_i;
    leaving[head_ring]             = leaves;
  end

  for (genvar r = 0; r < Rings; r++) begin : gen_count
    logic [DepthW:0] waiting, stale;
    assign waiting = waiting_q[r] + (DepthW+1)'(enters_fetched[r]) +
                     (DepthW+1)'(enters_pushed[r]) - (DepthW+1)'(leaving[r]);
    assign stale   = kill_i[r] ? waiting : stale_q[r] - (DepthW+1)'(leaving[r] && stale_any_q[r]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        waiting_q[r]   <= '0;
        stale_q[r]     <= '0;
        stale_any_q[r] <= 1'b0;
      end else if (kill_i[r] || enters_fetched[r] || enters_pushed[r] || leaving[r]) begin
        waiting_q[r]   <= waiting;
        stale_q[r]     <= stale;
        stale_any_q[r] <= stale != '0;
      end
    end
  end

  `TERN_ASSERT(NoOverflow, used <= (DepthW+1)'(Depth))
endmodule
