// SPDX-License-Identifier: Apache-2.0
// Packets that the scan has found, per ring in their order, until the arbiter takes them.
module dma_ready #(
  parameter int unsigned Rings = dma_spec_pkg::Rings,
  parameter int unsigned PrefetchPairs = dma_spec_pkg::PrefetchPairs,
  localparam int unsigned RingW = $clog2(Rings),
  localparam int unsigned SlotW = $clog2(PrefetchPairs)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Rings-1:0] clear_i,
  input  logic             push_i,
  input  logic [RingW-1:0] push_ring_i,
  input  dma_pkg::ready_t  push_packet_i,
  output logic [Rings-1:0] waiting_o,       // Rings with a packet
  input  logic [RingW-1:0] ring_i,
  output dma_pkg::ready_t  packet_o,        // The oldest of ring_i, combinational
  input  logic             pop_i            // Takes it
);
  // A packet has at least one pair, and each pair a slot of the ring's prefetch buffer.
  logic [SlotW:0] write_q [Rings];
  logic [SlotW:0] read_q [Rings];
  logic [SlotW-1:0] write, read;

  assign write    = write_q[push_ring_i][SlotW-1:0];
  assign read     = read_q[ring_i][SlotW-1:0];

  tern_regfile #(.Width(dma_pkg::ReadyBits), .Depth(Rings*PrefetchPairs)) u_words (
    .clk_i          (clk_i),
    .write_i        (push_i),
    .write_address_i({push_ring_i, write}),
    .write_data_i   (push_packet_i),
    .read_i         (1'b1),
    .read_address_i ({ring_i, read}),
    .read_data_o    (packet_o)
  );

  for (genvar r = 0; r < Rings; r++) begin : gen_ring
    logic [SlotW:0] write_next, read_next;
    assign write_next = write_q[r] + (SlotW+1)'(push_i && (push_ring_i == RingW'(r)));
    assign read_next  = read_q[r] + (SlotW+1)'(pop_i && (ring_i == RingW'(r)));
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        write_q[r]   <= '0;
        read_q[r]    <= '0;
        waiting_o[r] <= 1'b0;
      end else if (push_i || pop_i || clear_i[r]) begin
        write_q[r]   <= write_next;
        read_q[r]    <= clear_i[r] ? write_next : read_next;
        waiting_o[r] <= !clear_i[r] && (write_next != read_next);
      end
    end
  end
endmodule
