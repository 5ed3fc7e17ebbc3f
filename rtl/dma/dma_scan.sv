// SPDX-License-Identifier: Apache-2.0
// Checks pairs of descriptors and joins them to packets, ring by ring (README.md, "Scan"): a pair
// enters, and the packet that it ends or breaks leaves in the same cycle. After a fault a ring
// produces nothing until clear_i.
module dma_scan #(
  parameter int unsigned Rings = dma_spec_pkg::Rings,
  localparam int unsigned RingW = $clog2(Rings)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [Rings-1:0]  clear_i,        // From the next cycle on the ring is in no packet
  input  logic              valid_i,
  input  logic [RingW-1:0]  ring_i,
  input  logic [127:0]      tx_i,
  input  logic [127:0]      rx_i,
  input  logic              phase_check_i,
  input  logic [1:0]        phase_i,        // Expected value of ring_id
  input  logic [23:0]       index_i,        // Position of the pair in its ring
  output logic              packet_valid_o,
  output dma_pkg::ready_t   packet_o,
  output logic [Rings-1:0]  broken_o        // Rings with a fault
);
  dma_pkg::scan_t state, state_next;
  localparam int unsigned StateW = $bits(state);

  // Vectors: of an array of structs Yosys would keep one element only.
  logic [StateW-1:0] state_q [Rings];
  logic [23:0]       index_q [Rings];       // Of the packet's first pair
  logic [Rings-1:0]  open_q, broken_q;

  logic [4:0]     fault;
  logic           last, take;

  always_comb begin
    state        = state_q[ring_i];
    state.open = open_q[ring_i];
  end

  dma_scan_check u_check (
    .state_i       (state),
    .tx_i          (tx_i),
    .rx_i          (rx_i),
    .phase_check_i (phase_check_i),
    .phase_i       (phase_i),
    .state_o       (state_next),
    .fault_o       (fault),
    .last_o        (last)
  );

  assign take           = valid_i && !broken_q[ring_i];
  assign packet_valid_o = take && (last || (fault != dma_spec_pkg::FaultNone));
  assign broken_o       = broken_q;

  always_comb begin
    packet_o.fault        = fault;
    packet_o.index        = (!state.open || (fault != 5'd0)) ? index_i : index_q[ring_i];
    packet_o.pairs        = state_next.pairs;
    packet_o.bytes        = (fault != 5'd0) ? 23'd0 : state_next.rx_bytes;
    packet_o.op           = state_next.op;
    packet_o.src_dtype    = state_next.src_dtype;
    packet_o.dst_dtype    = state_next.dst_dtype;
    packet_o.crc          = state_next.crc;
    packet_o.crc_expected = state_next.crc_expected;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
      broken_q <= '0;
    end else begin
      if (take) open_q[ring_i] <= state_next.open && (fault == dma_spec_pkg::FaultNone);
      if (take && (fault != dma_spec_pkg::FaultNone)) broken_q[ring_i] <= 1'b1;
      for (int unsigned r = 0; r < Rings; r++) begin
        if (clear_i[r]) begin
          open_q[r] <= 1'b0;
          broken_q[r] <= 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      state_q[ring_i] <= state_next;
      if (!state.open) index_q[ring_i] <= index_i;
    end
  end

`ifdef FORMAL
`include "dma_scan_properties.svh"
`endif
endmodule
