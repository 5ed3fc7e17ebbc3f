// SPDX-License-Identifier: Apache-2.0
// The receiving half of an end: lanes to flits, checked, in order and once, to packets. A flit acts
// two cycles after it was on the lanes; its first packet is delivered in the cycle after.
`include "tern_assert.svh"

module link_rx #(
  parameter int unsigned FlitCycles = link_pkg::FlitCycles,
  parameter int unsigned MaxBad     = link_pkg::MaxBad,
  parameter int unsigned Lanes      = link_pkg::Lanes,
  parameter int unsigned Spares     = link_pkg::Spares,
  localparam int unsigned Physical  = Lanes + Spares,
  localparam int unsigned PhyBits   = $clog2(Physical),
  localparam int unsigned LaneBits  = link_pkg::FlitBits / Lanes
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           restart_i,
  // A slot of the lanes.
  input  logic                           rx_valid_i,
  input  logic                           rx_error_i,  // Not received: a bad flit
  input  logic [Physical*LaneBits-1:0]   rx_lanes_i,
  input  logic [Lanes*PhyBits-1:0]       physical_i,
  // A packet; bits of its data above its size are undefined.
  output logic                           pkt_valid_o,
  output logic [1:0]                     pkt_class_o,
  output logic [link_pkg::CountBits-1:0] pkt_dwords_o,
  output logic [link_pkg::HeadBits-1:0]  pkt_head_o,
  output logic [link_pkg::DataBits-1:0]  pkt_data_o,
  // The link-layer field of a good flit.
  output logic                           good_o,
  output link_pkg::dlp_t                 dlp_o,
  // For the flits sent.
  output logic [link_pkg::SeqBits-1:0]   last_o,
  output logic                           nak_o,
  // Events.
  output logic                           bad_o,
  output logic                           duplicate_o,
  output logic                           malformed_o,
  output logic                           recovery_o
);
  // --- Two stages: lanes, CRC.
  logic                          flit_valid_q, flit_error_q, valid_q, good_q;
  logic [link_pkg::FlitBits-1:0] flit, flit_q;
  logic [link_pkg::BodyBits-1:0] body_q;
  logic [link_pkg::CrcBits-1:0]  crc;

  link_destripe #(
    .Lanes  (Lanes),
    .Spares (Spares)
  ) u_destripe (
    .lanes_i (rx_lanes_i),
    .physical_i,
    .flit_o  (flit)
  );

  link_crc u_crc (
    .valid_i (flit_valid_q),
    .body_i  (flit_q[link_pkg::BodyBits-1:0]),
    .crc_o   (crc)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flit_valid_q <= 1'b0;
      flit_error_q <= 1'b0;
      valid_q      <= 1'b0;
      good_q       <= 1'b0;
    end else begin
      flit_valid_q <= rx_valid_i && !restart_i;
      flit_error_q <= rx_error_i;
      valid_q      <= flit_valid_q && !restart_i;
      good_q       <= !flit_error_q && crc == flit_q[link_pkg::BodyBits+:link_pkg::CrcBits];
    end
  end
  always_ff @(posedge clk_i) begin
    if (rx_valid_i) flit_q <= flit;
    if (flit_valid_q) body_q <= flit_q[link_pkg::BodyBits-1:0];
  end

  // --- A checked flit.
  logic slot, payload, accept;
  assign slot    = valid_q && !restart_i;
  assign dlp_o   = body_q[link_pkg::TlpBits+:link_pkg::DlpBits];
  assign payload = dlp_o.usage == link_pkg::UsagePayload;
  assign good_o  = slot && good_q && dlp_o.usage != link_pkg::UsageIdle;
  assign bad_o   = slot && !good_q;

  link_sequence #(.MaxBad(MaxBad)) u_sequence (
    .clk_i,
    .rst_ni,
    .restart_i,
    .slot_i     (slot),
    .good_i     (good_q),
    .payload_i  (payload),
    .prior_i    (dlp_o.prior),
    .explicit_i (dlp_o.command == link_pkg::CommandExplicit &&
                 dlp_o.usage != link_pkg::UsageIdle),
    .number_i   (dlp_o.sequence_number),
    .accept_o   (accept),
    .duplicate_o,
    .recovery_o,
    .last_o,
    .nak_o
  );

  link_unpacker #(.FlitCycles(FlitCycles)) u_unpacker (
    .clk_i,
    .rst_ni,
    .tlp_valid_i (accept),
    .tlp_i       (body_q[link_pkg::TlpBits-1:0]),
    .pkt_valid_o,
    .pkt_class_o,
    .pkt_dwords_o,
    .pkt_head_o,
    .pkt_data_o,
    .malformed_o
  );
endmodule
