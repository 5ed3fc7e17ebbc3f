// SPDX-License-Identifier: Apache-2.0
// One end of a link: packets of four classes in and out on one side, flits on lanes on the other.
// README.md is its contract.
`include "tern_assert.svh"

module link_port #(
  parameter int unsigned FlitCycles  = link_pkg::FlitCycles,
  parameter int unsigned ReplayDepth = link_pkg::ReplayDepth,
  parameter int unsigned RoundTrip   = link_pkg::RoundTrip,
  parameter int unsigned MaxReplays  = link_pkg::MaxReplays,
  parameter int unsigned MaxBad      = link_pkg::MaxBad,
  parameter int unsigned HeadCredits = link_pkg::HeadCredits,
  parameter int unsigned DataCredits = link_pkg::DataCredits,
  parameter int unsigned Lanes       = link_pkg::Lanes,
  parameter int unsigned Spares      = link_pkg::Spares,
  localparam int unsigned Physical   = Lanes + Spares,
  localparam int unsigned LogBits    = $clog2(Lanes),
  localparam int unsigned PhyBits    = $clog2(Physical),
  localparam int unsigned LaneBits   = link_pkg::FlitBits / Lanes
) (
  input  logic                                                  clk_i,
  input  logic                                                  rst_ni,
  // Training: the lanes carry flits; which are dead, looked at after load_i.
  input  logic                                                  run_i,
  input  logic                                                  load_i,
  input  logic [Physical-1:0]                                   dead_i,
  output logic                                                  running_o,
  output logic                                                  lanes_short_o,
  output logic                                                  up_o,
  // A packet to be sent. The offer may change until it is taken: other classes may pass.
  input  logic                                                  pkt_valid_i,
  output logic                                                  pkt_ready_o,
  input  logic [1:0]                                            pkt_class_i,
  input  logic [link_pkg::CountBits-1:0]                        pkt_dwords_i,
  input  logic [link_pkg::HeadBits-1:0]                         pkt_head_i,
  input  logic [link_pkg::DataBits-1:0]                         pkt_data_i,
  output logic [link_pkg::Classes*link_pkg::HeadCreditBits-1:0] head_left_o,
  output logic [link_pkg::Classes*link_pkg::DataCreditBits-1:0] data_left_o,
  // A packet received. The receiver's buffers have room for it; it frees it later.
  output logic                                                  pkt_valid_o,
  output logic [1:0]                                            pkt_class_o,
  output logic [link_pkg::CountBits-1:0]                        pkt_dwords_o,
  output logic [link_pkg::HeadBits-1:0]                         pkt_head_o,
  output logic [link_pkg::DataBits-1:0]                         pkt_data_o,
  input  logic                                                  free_valid_i,
  input  logic [1:0]                                            free_class_i,
  input  logic [link_pkg::CountBits-1:0]                        free_dwords_i,
  // Lanes. Slots are at least FlitCycles cycles apart, in both directions.
  input  logic                                                  slot_i,
  output logic                                                  tx_valid_o,
  output logic [Physical*LaneBits-1:0]                          tx_lanes_o,
  input  logic                                                  rx_valid_i,
  input  logic                                                  rx_error_i,
  input  logic [Physical*LaneBits-1:0]                          rx_lanes_i,
  // Events, each a cycle.
  output logic                                                  bad_o,
  output logic                                                  duplicate_o,
  output logic                                                  replay_o,
  output logic                                                  recovery_o,
  output logic                                                  malformed_o,
  output logic                                                  protocol_error_o
);
  // --- Training.
  logic                        map_ready, running_q, restart, slot;
  logic [Physical-1:0]         used;
  logic [Physical*LogBits-1:0] logical;
  logic [Lanes*PhyBits-1:0]    physical;

  link_lane_map #(
    .Lanes  (Lanes),
    .Spares (Spares)
  ) u_lane_map (
    .clk_i,
    .rst_ni,
    .load_i,
    .dead_i,
    .ready_o    (map_ready),
    .short_o    (lanes_short_o),
    .used_o     (used),
    .logical_o  (logical),
    .physical_o (physical)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) running_q <= 1'b0;
    else running_q <= run_i && map_ready && !load_i;
  end
  assign running_o = running_q;
  assign restart   = !running_q;
  assign slot      = slot_i && running_q;

  // --- Between the halves.
  logic                                good, nak_last, tx_recovery, rx_recovery;
  logic                                pkt_allowed, pkt_space;
  link_pkg::dlp_t                      dlp;
  logic [link_pkg::SeqBits-1:0]        last;
  logic [5:0]                          kind;
  logic [1:0]                          class_told;
  logic [link_pkg::HeadCreditBits-1:0] head;
  logic [link_pkg::DataCreditBits-1:0] data;

  assign pkt_ready_o = pkt_space && pkt_allowed;
  assign recovery_o  = tx_recovery || rx_recovery;

  link_credits #(
    .HeadCredits (HeadCredits),
    .DataCredits (DataCredits)
  ) u_credits (
    .clk_i,
    .rst_ni,
    .up_o,
    .pkt_send_i    (pkt_valid_i && pkt_ready_o),
    .pkt_class_i,
    .pkt_dwords_i,
    .pkt_allowed_o (pkt_allowed),
    .head_left_o,
    .data_left_o,
    .free_valid_i,
    .free_class_i,
    .free_dwords_i,
    .slot_i        (slot),
    .kind_o        (kind),
    .class_o       (class_told),
    .head_o        (head),
    .data_o        (data),
    .good_i        (good),
    .payload_i     (dlp.usage == link_pkg::UsagePayload),
    .kind_i        (dlp.kind),
    .class_i       (dlp.cls),
    .head_i        (dlp.head_credits),
    .data_i        (dlp.data_credits)
  );

  link_tx #(
    .FlitCycles  (FlitCycles),
    .ReplayDepth (ReplayDepth),
    .RoundTrip   (RoundTrip),
    .MaxReplays  (MaxReplays),
    .Lanes       (Lanes),
    .Spares      (Spares)
  ) u_tx (
    .clk_i,
    .rst_ni,
    .restart_i    (restart),
    .pkt_valid_i  (pkt_valid_i && pkt_allowed),
    .pkt_ready_o  (pkt_space),
    .pkt_class_i,
    .pkt_dwords_i,
    .pkt_head_i,
    .pkt_data_i,
    .ack_i        (good && dlp.command != link_pkg::CommandExplicit),
    .nak_i        (dlp.command != link_pkg::CommandAck),
    .ack_number_i (dlp.sequence_number),
    .last_i       (last),
    .nak_last_i   (nak_last),
    .kind_i       (kind),
    .class_i      (class_told),
    .head_i       (head),
    .data_i       (data),
    .slot_i       (slot),
    .used_i       (used),
    .logical_i    (logical),
    .tx_valid_o,
    .tx_lanes_o,
    .replay_o,
    .recovery_o   (tx_recovery),
    .protocol_error_o
  );

  link_rx #(
    .FlitCycles (FlitCycles),
    .MaxBad     (MaxBad),
    .Lanes      (Lanes),
    .Spares     (Spares)
  ) u_rx (
    .clk_i,
    .rst_ni,
    .restart_i    (restart),
    .rx_valid_i,
    .rx_error_i,
    .rx_lanes_i,
    .physical_i   (physical),
    .pkt_valid_o,
    .pkt_class_o,
    .pkt_dwords_o,
    .pkt_head_o,
    .pkt_data_o,
    .good_o       (good),
    .dlp_o        (dlp),
    .last_o       (last),
    .nak_o        (nak_last),
    .bad_o,
    .duplicate_o,
    .malformed_o,
    .recovery_o   (rx_recovery)
  );

endmodule
