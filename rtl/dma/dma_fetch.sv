// SPDX-License-Identifier: Apache-2.0
// Reads descriptors: selects a ring every other cycle at most, requests its two lists, and passes
// the answers to the prefetch buffers (README.md, "Fetch").
module dma_fetch #(
  parameter int unsigned Rings = dma_spec_pkg::Rings,
  parameter int unsigned PrefetchPairs = dma_spec_pkg::PrefetchPairs,
  localparam int unsigned RingW = $clog2(Rings),
  localparam int unsigned SlotW = $clog2(PrefetchPairs)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [Rings*64-1:0] tx_base_i,
  input  logic [Rings*64-1:0] rx_base_i,
  input  logic [Rings*2-1:0]  class_i,
  input  logic [Rings-1:0]    kill_i,
  input  logic                enable_i,     // Select in this cycle
  // dma_rings
  input  logic [Rings-1:0]    eligible_i,
  output logic [Rings-1:0]    busy_o,       // Answers for a ring are in flight
  output logic                fetch_o,
  output logic [RingW-1:0]    ring_o,
  input  logic [6:0]          pairs_i,      // Of ring_o
  input  logic [23:0]         index_i,
  input  logic [SlotW-1:0]    slot_i,
  // Descriptor port. Tag: 2 * ring + 1 for the RX list.
  output logic                request_valid_o,
  output dma_pkg::request_t   request_o,
  input  dma_pkg::answer_t    answer_i,
  // The answer's beat in transit to the prefetch buffer.
  output logic                beat_o,
  output logic                beat_rx_o,
  output logic [RingW-1:0]    beat_ring_o,
  output logic [SlotW-1:0]    beat_slot_o,
  output logic [2:0]          beat_count_o,
  // Both lists have arrived.
  output logic                batch_o,
  output logic [RingW-1:0]    batch_ring_o,
  output logic [6:0]          batch_pairs_o,
  output logic                stop_o,       // One of them could not be read
  output logic [4:0]          stop_fault_o,
  output logic [23:0]         stop_index_o,
  output logic [63:0]         stop_address_o,
  output logic                stray_o       // An answer to no request
);
  logic [Rings-1:0]   busy_q, drop_q;       // drop_q: its ring has been stopped or restarted since
  logic [2*Rings-1:0] missing_q;            // By tag
  logic [1:0]         error_q [2*Rings];
  logic [63:0]        address_q [2*Rings];
  logic [SlotW-1:0]   slot_q [Rings];
  logic [23:0]        index_q [Rings];
  logic [6:0]         pairs_q [Rings];
  logic [3:0]         beat_q;               // Of the answer that is arriving
  logic [RingW-1:0]   last_q;               // Ring served last
  logic               second_q;             // This cycle belongs to the RX request
  dma_pkg::request_t  second_request_q;

  // Selection.
  logic [63:0] tx_address, rx_address;
  qos_round_robin #(.Requesters(Rings)) u_next (
    .req_i   (eligible_i),
    .last_i  (last_q),
    .grant_o (),
    .index_o (ring_o)
  );

  assign fetch_o    = (eligible_i != '0) && !second_q && enable_i;
  assign tx_address = {tx_base_i[64*ring_o+8+:56], 8'd0} + {36'd0, index_i, 4'd0};
  assign rx_address = {rx_base_i[64*ring_o+8+:56], 8'd0} + {36'd0, index_i, 4'd0};

  always_comb begin
    request_valid_o         = fetch_o || second_q;
    request_o               = second_request_q;
    request_o.traffic_class = class_i[2*last_q+:2];
    if (!second_q) begin
      request_o.address       = tx_address;
      request_o.bytes         = {pairs_i, 4'd0};
      request_o.tag           = 6'({ring_o, 1'b0});
      request_o.traffic_class = class_i[2*ring_o+:2];
      request_o.write_op      = 2'd0;
    end
  end

  // Answers.
  logic [RingW:0]     tag;
  logic [RingW-1:0]   ring;
  logic               expected, complete;
  logic [1:0]         error_tx, error_rx, error;
  logic [SlotW-1:0]   slot;
  logic [6:0]         pairs, left;

  assign tag          = answer_i.tag[RingW:0];
  assign ring         = tag[RingW:1];
  assign expected     = (32'(answer_i.tag) < 2 * Rings) && missing_q[tag];
  assign slot         = slot_q[ring];
  assign pairs        = pairs_q[ring];
  assign left         = pairs - {1'b0, beat_q, 2'd0};
  assign beat_o       = answer_i.valid && expected && !drop_q[ring] &&
                        (pairs > {1'b0, beat_q, 2'd0});
  assign beat_rx_o    = tag[0];
  assign beat_ring_o  = ring;
  assign beat_slot_o  = slot + SlotW'({beat_q, 2'd0});
  assign beat_count_o = (left > 7'd4) ? 3'd4 : left[2:0];

  assign complete       = answer_i.valid && answer_i.last && expected &&
                          !missing_q[{ring, !tag[0]}];
  assign error_tx       = tag[0] ? error_q[{ring, 1'b0}] : answer_i.error;
  assign error_rx       = tag[0] ? answer_i.error : error_q[{ring, 1'b1}];
  assign error          = (error_tx != dma_pkg::AnswerGood) ? error_tx : error_rx;
  assign batch_o        = complete && !drop_q[ring] && (error == dma_pkg::AnswerGood);
  assign batch_ring_o   = ring;
  assign batch_pairs_o  = pairs;
  assign stop_o         = complete && !drop_q[ring] && (error != dma_pkg::AnswerGood);
  assign stop_fault_o   = (error == dma_pkg::AnswerUncorrectable) ? dma_spec_pkg::FaultEcc
                                                                  : dma_spec_pkg::FaultFetch;
  assign stop_index_o   = index_q[ring];
  assign stop_address_o = (error != dma_pkg::AnswerUncorrectable) ? 64'd0 :
                          address_q[{ring, error_tx == dma_pkg::AnswerGood}];
  assign stray_o        = answer_i.valid && answer_i.last && !expected;
  assign busy_o         = busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q    <= '0;
      drop_q    <= '0;
      missing_q <= '0;
      beat_q    <= '0;
      last_q    <= RingW'(Rings - 1);
      second_q  <= 1'b0;
    end else begin
      second_q <= fetch_o;
      if (answer_i.valid) beat_q <= answer_i.last ? 4'd0 : beat_q + 4'd1;
      drop_q <= drop_q | (kill_i & busy_q);
      if (answer_i.valid && answer_i.last && expected) missing_q[tag] <= 1'b0;
      if (complete) begin
        busy_q[ring] <= 1'b0;
        drop_q[ring] <= 1'b0;
      end
      if (fetch_o) begin
        last_q                    <= ring_o;
        busy_q[ring_o]            <= 1'b1;
        drop_q[ring_o]            <= kill_i[ring_o];
        missing_q[{ring_o, 1'b0}] <= 1'b1;
        missing_q[{ring_o, 1'b1}] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (answer_i.valid && answer_i.last && expected) error_q[tag] <= answer_i.error;
    if (fetch_o) begin
      slot_q[ring_o]                 <= slot_i;
      index_q[ring_o]                <= index_i;
      pairs_q[ring_o]                <= pairs_i;
      address_q[{ring_o, 1'b0}]      <= tx_address;
      address_q[{ring_o, 1'b1}]      <= rx_address;
      second_request_q.address       <= rx_address;
      second_request_q.bytes         <= {pairs_i, 4'd0};
      second_request_q.tag           <= 6'({ring_o, 1'b1});
      second_request_q.traffic_class <= '0;  // Set in the cycle of the request
      second_request_q.write_op      <= 2'd0;
    end
  end

`ifdef FORMAL
`include "dma_fetch_properties.svh"
`endif
endmodule
