// SPDX-License-Identifier: Apache-2.0
// The TLP part of accepted flits to packets, one a cycle. Flits are at least FlitCycles cycles
// apart and have at most FlitCycles starts of packets, so it keeps up.
`include "tern_assert.svh"

module link_unpacker #(
  parameter int unsigned FlitCycles = link_pkg::FlitCycles
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           tlp_valid_i,
  input  logic [link_pkg::TlpBits-1:0]   tlp_i,
  // A packet; bits of its data above its size are undefined.
  output logic                           pkt_valid_o,
  output logic [1:0]                     pkt_class_o,
  output logic [link_pkg::CountBits-1:0] pkt_dwords_o,
  output logic [link_pkg::HeadBits-1:0]  pkt_head_o,
  output logic [link_pkg::DataBits-1:0]  pkt_data_o,
  // A start that no packer makes: the rest of its flit is dropped.
  output logic                           malformed_o
);
  localparam int unsigned BufferBits = 32 * 128;
  localparam int unsigned PlaceBits  = link_pkg::CountBits + 1;

  typedef logic [PlaceBits-1:0] place_t;
  localparam place_t TlpDwords = place_t'(link_pkg::TlpDwords);
  localparam place_t HeadDwords = place_t'(link_pkg::HeadDwords);

  logic [BufferBits-1:0] buffer_d, buffer_q;  // Zero above count_q
  place_t                count_d, count_q;
  place_t                tail_d, tail_q;  // Of the last packet, not yet received
  place_t                size, kept;

  // --- The packet at the head.
  link_pkg::start_t head;
  assign head         = buffer_q[31:0];
  assign size         = HeadDwords + place_t'(head.dwords);
  assign pkt_valid_o  = count_q != '0 && count_q >= size;
  assign pkt_class_o  = head.cls;
  assign pkt_dwords_o = head.dwords;
  assign pkt_head_o   = buffer_q[32+:link_pkg::HeadBits];
  assign pkt_data_o   = buffer_q[32*link_pkg::HeadDwords+:link_pkg::DataBits];
  assign kept         = pkt_valid_o ? count_q - size : count_q;

  // --- The flit: where its packets start, and where its padding.
  function automatic logic legal(input link_pkg::start_t start);
    legal = start.valid && {start.zero_high, start.zero_low} == '0 &&
            start.dwords <= link_pkg::CountBits'(link_pkg::MaxData);
  endfunction

  link_pkg::start_t             start;
  place_t                       at, used;
  logic                         more, malformed;
  logic [link_pkg::TlpBits-1:0] packets;  // Without the padding
  always_comb begin
    at        = tail_q;
    more      = 1'b1;
    malformed = 1'b0;
    start     = '0;
    for (int unsigned i = 0; i < FlitCycles; i++) begin
      start = (at < TlpDwords) ? tlp_i[{at[5:0], 5'd0}+:32] : '0;
      if (more && start != '0) malformed = !legal(start);
      more = more && legal(start);
      at   = more ? at + HeadDwords + place_t'(start.dwords) : at;
    end
    used    = (at < TlpDwords) ? at : TlpDwords;
    tail_d  = at - used;
    packets = tlp_i & ~({link_pkg::TlpBits{1'b1}} << {used, 5'd0});
  end
  assign malformed_o = tlp_valid_i && malformed;

  always_comb begin
    buffer_d = buffer_q;
    count_d  = kept;
    if (pkt_valid_o) buffer_d = buffer_q >> {size, 5'd0};
    if (tlp_valid_i) begin
      buffer_d = buffer_d | (BufferBits'(packets) << {kept, 5'd0});
      count_d = kept + used;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      buffer_q <= '0;
      count_q  <= '0;
    end else if (tlp_valid_i || pkt_valid_o) begin
      buffer_q <= buffer_d;
      count_q  <= count_d;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) tail_q <= '0;
    else if (tlp_valid_i) tail_q <= tail_d;
  end

  `TERN_ASSERT(KeepsUp, !tlp_valid_i || kept <= place_t'(BufferBits / 32) - TlpDwords)
endmodule
