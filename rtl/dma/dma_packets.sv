// SPDX-License-Identifier: Apache-2.0
// The packets that are dispatched and not complete, in the order of their dispatch. Records which
// are dead and which have been read from the prefetch buffer, and completes the oldest.
`include "tern_assert.svh"

module dma_packets #(
  parameter int unsigned Rings = dma_spec_pkg::Rings,
  parameter int unsigned Packets = dma_spec_pkg::Packets,
  localparam int unsigned RingW = $clog2(Rings),
  localparam int unsigned EntryW = $clog2(Packets)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [Rings*24-1:0] size_i,
  input  logic [Rings-1:0]    kill_i,
  // Dispatch.
  output logic                full_o,
  output logic                empty_o,
  output logic [EntryW-1:0]   entry_o,      // Of the packet that is dispatched in this cycle
  input  logic                dispatch_i,
  input  logic [RingW-1:0]    ring_i,
  input  dma_pkg::ready_t     packet_i,
  // Read by source and target: the second of the two frees the packet's slots.
  input  logic                source_done_i,
  input  logic [EntryW-1:0]   source_entry_i,
  input  logic                target_done_i,
  input  logic [EntryW-1:0]   target_entry_i,
  output logic                free_o,
  output logic [RingW-1:0]    free_ring_o,
  output logic [6:0]          free_pairs_o,
  // Completion.
  output logic [Packets-1:0]  dead_o,
  output logic [EntryW-1:0]   oldest_o,
  input  logic                oldest_done_i,  // Its data is in its destination
  output logic                done_o,         // A live packet is complete
  output logic [EntryW-1:0]   done_entry_o,
  output logic [RingW-1:0]    done_ring_o,
  output logic [6:0]          done_pairs_o,
  output logic [22:0]         done_bytes_o,
  // A faulty packet reaches the head.
  output logic                stop_o,
  output logic [RingW-1:0]    stop_ring_o,
  output logic [4:0]          stop_fault_o,
  output logic [23:0]         stop_index_o,
  // Events that the data path reports for a packet's pair.
  input  dma_pkg::stop_t      read_stop_i,
  output logic                read_stop_o,
  output logic [RingW-1:0]    read_stop_ring_o,
  output logic [23:0]         read_stop_index_o,
  input  dma_pkg::stop_t      write_stop_i,
  output logic                write_stop_o,
  output logic [RingW-1:0]    write_stop_ring_o,
  output logic [23:0]         write_stop_index_o,
  input  logic                crc_valid_i,
  input  logic [EntryW-1:0]   crc_entry_i,
  output logic                crc_valid_o,
  output logic [RingW-1:0]    crc_ring_o,
  output logic [23:0]         crc_index_o
);
  logic [EntryW:0]    new_q, old_q;
  logic [RingW-1:0]   ring_q [Packets];
  logic [6:0]         pairs_q [Packets];
  logic [22:0]        bytes_q [Packets];
  logic [23:0]        index_q [Packets];
  logic [4:0]         fault_q [Packets];
  logic [Packets-1:0] dead_q, half_q;       // half_q: one of the two sides is done

  logic [EntryW-1:0] new_entry, old_entry;
  logic              faulty, pop;

  assign new_entry = new_q[EntryW-1:0];
  assign old_entry = old_q[EntryW-1:0];
  assign empty_o   = new_q == old_q;
  assign full_o    = (new_entry == old_entry) && !empty_o;
  assign entry_o   = new_entry;
  assign oldest_o  = old_entry;
  assign dead_o    = dead_q;

  assign faulty       = fault_q[old_entry] != dma_spec_pkg::FaultNone;
  assign pop          = !empty_o && (faulty || oldest_done_i);
  assign done_o       = pop && !faulty && !dead_q[old_entry];
  assign done_entry_o = old_entry;
  assign done_ring_o  = ring_q[old_entry];
  assign done_pairs_o = pairs_q[old_entry];
  assign done_bytes_o = bytes_q[old_entry];
  assign stop_o       = pop && faulty && !dead_q[old_entry];
  assign stop_ring_o  = ring_q[old_entry];
  assign stop_fault_o = fault_q[old_entry];
  assign stop_index_o = index_q[old_entry];

  // Position of a packet's pair in its ring.
  function automatic logic [23:0] place(input logic [23:0] index, input logic [6:0] offset,
                                        input logic [23:0] size);
    logic [23:0] sum;
    sum   = index + 24'(offset);
    place = ((size != 24'd0) && (sum >= size)) ? sum - size : sum;
  endfunction

  logic [EntryW-1:0] read_entry, write_entry;
  assign read_entry         = read_stop_i.entry[EntryW-1:0];
  assign write_entry        = write_stop_i.entry[EntryW-1:0];
  assign read_stop_ring_o   = ring_q[read_entry];
  assign write_stop_ring_o  = ring_q[write_entry];
  assign crc_ring_o         = ring_q[crc_entry_i];
  assign read_stop_o        = read_stop_i.valid && !dead_q[read_entry];
  assign write_stop_o       = write_stop_i.valid && !dead_q[write_entry];
  assign crc_valid_o        = crc_valid_i && !dead_q[crc_entry_i];
  assign crc_index_o        = index_q[crc_entry_i];
  assign read_stop_index_o  =
      place(index_q[read_entry], read_stop_i.pair, size_i[24*read_stop_ring_o+:24]);
  assign write_stop_index_o =
      place(index_q[write_entry], write_stop_i.pair, size_i[24*write_stop_ring_o+:24]);

  // Both sides work in the order of dispatch, so that at most one packet is read out in a cycle.
  logic              source_second, target_second, both;
  logic [EntryW-1:0] free_entry;
  assign both          = source_done_i && target_done_i && (source_entry_i == target_entry_i);
  assign source_second = source_done_i && half_q[source_entry_i];
  assign target_second = target_done_i && half_q[target_entry_i];
  assign free_entry    = (source_second || both) ? source_entry_i : target_entry_i;
  assign free_o        = source_second || target_second || both;
  assign free_ring_o   = ring_q[free_entry];
  assign free_pairs_o  = pairs_q[free_entry];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      new_q  <= '0;
      old_q  <= '0;
      dead_q <= '0;
      half_q <= '0;
    end else begin
      if (pop) old_q <= old_q + 1'b1;
      if (source_done_i) half_q[source_entry_i] <= 1'b1;
      if (target_done_i) half_q[target_entry_i] <= 1'b1;
      if (kill_i != '0) begin
        for (int unsigned e = 0; e < Packets; e++) begin
          if (kill_i[ring_q[e]]) dead_q[e] <= 1'b1;
        end
      end
      if (dispatch_i) begin
        new_q             <= new_q + 1'b1;
        dead_q[new_entry] <= kill_i[ring_i];
        half_q[new_entry] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (dispatch_i) begin
      ring_q[new_entry]  <= ring_i;
      pairs_q[new_entry] <= packet_i.pairs;
      bytes_q[new_entry] <= packet_i.bytes;
      index_q[new_entry] <= packet_i.index;
      fault_q[new_entry] <= packet_i.fault;
    end
  end

  `TERN_ASSERT(RoomInTable, !dispatch_i || !full_o)
  `TERN_ASSERT(OneReadOut, !(source_second && target_second))

`ifdef FORMAL
`include "dma_packets_properties.svh"
`endif
endmodule
