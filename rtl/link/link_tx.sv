// SPDX-License-Identifier: Apache-2.0
// The sending half of an end: packets to flits, numbered and kept until they are acknowledged, with
// the link-layer field and CRC, on lanes. A flit is on the lanes three cycles after its slot.
`include "tern_assert.svh"

module link_tx #(
  parameter int unsigned FlitCycles  = link_pkg::FlitCycles,
  parameter int unsigned ReplayDepth = link_pkg::ReplayDepth,
  parameter int unsigned RoundTrip   = link_pkg::RoundTrip,
  parameter int unsigned MaxReplays  = link_pkg::MaxReplays,
  parameter int unsigned Lanes       = link_pkg::Lanes,
  parameter int unsigned Spares      = link_pkg::Spares,
  localparam int unsigned Physical   = Lanes + Spares,
  localparam int unsigned LogBits    = $clog2(Lanes),
  localparam int unsigned LaneBits   = link_pkg::FlitBits / Lanes
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                restart_i,
  // A packet that may be sent.
  input  logic                                pkt_valid_i,
  output logic                                pkt_ready_o,
  input  logic [1:0]                          pkt_class_i,
  input  logic [link_pkg::CountBits-1:0]      pkt_dwords_i,
  input  logic [link_pkg::HeadBits-1:0]       pkt_head_i,
  input  logic [link_pkg::DataBits-1:0]       pkt_data_i,
  // Acknowledgements received.
  input  logic                                ack_i,
  input  logic                                nak_i,
  input  logic [link_pkg::SeqBits-1:0]        ack_number_i,
  // To be sent: of the receiver, of the credits.
  input  logic [link_pkg::SeqBits-1:0]        last_i,
  input  logic                                nak_last_i,
  input  logic [5:0]                          kind_i,
  input  logic [1:0]                          class_i,
  input  logic [link_pkg::HeadCreditBits-1:0] head_i,
  input  logic [link_pkg::DataCreditBits-1:0] data_i,
  // A slot, and the lanes.
  input  logic                                slot_i,
  input  logic [Physical-1:0]                 used_i,
  input  logic [Physical*LogBits-1:0]         logical_i,
  output logic                                tx_valid_o,
  output logic [Physical*LaneBits-1:0]        tx_lanes_o,
  // Events.
  output logic                                replay_o,
  output logic                                recovery_o,
  output logic                                protocol_error_o
);
  logic                       tlp_valid, tlp_take, payload, says_number, prior;
  logic [link_pkg::TlpBits-1:0] tlp, data;
  logic [link_pkg::SeqBits-1:0] number;

  link_packer #(.FlitCycles(FlitCycles)) u_packer (
    .clk_i,
    .rst_ni,
    .pkt_valid_i,
    .pkt_ready_o,
    .pkt_class_i,
    .pkt_dwords_i,
    .pkt_head_i,
    .pkt_data_i,
    .tlp_valid_o (tlp_valid),
    .tlp_o       (tlp),
    .tlp_take_i  (tlp_take)
  );

  link_replay #(
    .Depth      (ReplayDepth),
    .RoundTrip  (RoundTrip),
    .MaxReplays (MaxReplays)
  ) u_replay (
    .clk_i,
    .rst_ni,
    .restart_i,
    .new_valid_i (tlp_valid),
    .new_data_i  (tlp),
    .new_take_o  (tlp_take),
    .slot_i,
    .payload_o   (payload),
    .data_o      (data),
    .explicit_o  (says_number),
    .number_o    (number),
    .prior_o     (prior),
    .ack_i,
    .nak_i,
    .ack_number_i,
    .replay_o,
    .recovery_o,
    .protocol_error_o
  );

  link_pkg::dlp_t dlp;
  always_comb begin
    dlp                 = '0;
    dlp.usage           = payload ? link_pkg::UsagePayload : link_pkg::UsageNop;
    dlp.prior           = prior;
    dlp.command         = says_number ? link_pkg::CommandExplicit :
                          nak_last_i ? link_pkg::CommandNak : link_pkg::CommandAck;
    dlp.sequence_number = says_number ? number : last_i;
    dlp.kind            = kind_i;
    dlp.cls             = class_i;
    dlp.head_credits    = head_i;
    dlp.data_credits    = data_i;
  end

  // --- Three stages: body, CRC, lanes. What is in them when the link stops is dropped.
  logic                          body_valid_q, flit_valid_q, lanes_valid_q;
  logic [link_pkg::BodyBits-1:0] body_q;
  logic [link_pkg::CrcBits-1:0]  crc;
  logic [link_pkg::FlitBits-1:0] flit_q;
  logic [Physical*LaneBits-1:0]  lanes, lanes_q;

  link_crc u_crc (
    .valid_i (body_valid_q),
    .body_i  (body_q),
    .crc_o   (crc)
  );

  link_stripe #(
    .Lanes  (Lanes),
    .Spares (Spares)
  ) u_stripe (
    .flit_i  (flit_q),
    .used_i,
    .logical_i,
    .lanes_o (lanes)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      body_valid_q  <= 1'b0;
      flit_valid_q  <= 1'b0;
      lanes_valid_q <= 1'b0;
    end else begin
      body_valid_q  <= slot_i;
      flit_valid_q  <= body_valid_q;
      lanes_valid_q <= flit_valid_q && !restart_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (slot_i) body_q <= {dlp, payload ? data : link_pkg::TlpBits'(0)};
    if (body_valid_q) flit_q <= {link_pkg::FecBits'(0), crc, body_q};
    if (flit_valid_q) lanes_q <= lanes;
  end
  assign tx_valid_o = lanes_valid_q;
  assign tx_lanes_o = lanes_q;
endmodule
