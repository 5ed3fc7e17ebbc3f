// SPDX-License-Identifier: Apache-2.0
// Packets to the TLP part of flits: without gaps, across the borders of flits, padded with zeros
// only when there are no more. A flit has at most FlitCycles starts of packets.
`include "tern_assert.svh"

module link_packer #(
  parameter int unsigned FlitCycles = link_pkg::FlitCycles
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // A packet that may be sent.
  input  logic                           pkt_valid_i,
  output logic                           pkt_ready_o,
  input  logic [1:0]                     pkt_class_i,
  input  logic [link_pkg::CountBits-1:0] pkt_dwords_i,
  input  logic [link_pkg::HeadBits-1:0]  pkt_head_i,
  input  logic [link_pkg::DataBits-1:0]  pkt_data_i,
  // The next flit.
  output logic                           tlp_valid_o,
  output logic [link_pkg::TlpBits-1:0]   tlp_o,
  input  logic                           tlp_take_i
);
  localparam int unsigned BufferBits = 32 * 128;  // A flit less 1 and a packet fit
  localparam int unsigned StartBits  = $clog2(FlitCycles + 1);

  logic [BufferBits-1:0]          buffer_d, buffer_q;  // Zero above count_q
  logic [link_pkg::CountBits-1:0] count_d, count_q, kept;
  logic [StartBits-1:0]           starts_d, starts_q, starts_kept;
  link_pkg::start_t               start;
  logic [link_pkg::DataBits-1:0]  mask;
  logic                           accept;

  assign tlp_valid_o = count_q != '0;
  assign tlp_o       = buffer_q[link_pkg::TlpBits-1:0];

  // What is left when the flit has gone. A packet is accepted if it starts in the next flit.
  always_comb begin
    kept        = count_q;
    starts_kept = starts_q;
    if (tlp_take_i) begin
      kept = (count_q > link_pkg::CountBits'(link_pkg::TlpDwords)) ?
          count_q - link_pkg::CountBits'(link_pkg::TlpDwords) : '0;
      starts_kept = '0;
    end
  end
  assign pkt_ready_o = kept < link_pkg::CountBits'(link_pkg::TlpDwords) &&
                       starts_kept < StartBits'(FlitCycles);
  assign accept      = pkt_valid_i && pkt_ready_o;

  always_comb begin
    start        = '0;
    start.valid  = 1'b1;
    start.cls    = pkt_class_i;
    start.dwords = pkt_dwords_i;
    mask         = '0;
    buffer_d     = buffer_q;
    count_d      = kept;
    starts_d     = starts_kept;
    if (tlp_take_i) buffer_d = buffer_q >> link_pkg::TlpBits;
    if (accept) begin
      mask     = ~({link_pkg::DataBits{1'b1}} << {pkt_dwords_i, 5'd0});
      buffer_d = buffer_d |
          (BufferBits'({pkt_data_i & mask, pkt_head_i, start}) << {kept, 5'd0});
      count_d  = kept + link_pkg::CountBits'(link_pkg::HeadDwords) + pkt_dwords_i;
      starts_d = starts_kept + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      buffer_q <= '0;
      count_q  <= '0;
      starts_q <= '0;
    end else if (tlp_take_i || accept) begin
      buffer_q <= buffer_d;
      count_q  <= count_d;
      starts_q <= starts_d;
    end
  end

  `TERN_ASSERT_INIT(FlitCyclesRange, FlitCycles >= 1 && FlitCycles <= 8)
  `TERN_ASSERT(TakesWhatIsThere, !tlp_take_i || tlp_valid_o)
  `TERN_ASSERT(LegalSize, !pkt_valid_i ||
               pkt_dwords_i <= link_pkg::CountBits'(link_pkg::MaxData))
endmodule
