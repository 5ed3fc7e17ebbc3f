// SPDX-License-Identifier: Apache-2.0
// The DMA engine (README.md): control path and data path.
`include "tern_assert.svh"

module dma_engine #(
  parameter int unsigned Rings         = dma_spec_pkg::Rings,
  parameter int unsigned PrefetchPairs = dma_spec_pkg::PrefetchPairs,  // Per ring
  parameter int unsigned Packets       = dma_spec_pkg::Packets,
  parameter int unsigned ReadLines     = dma_spec_pkg::ReadLines,
  parameter int unsigned Tags          = dma_spec_pkg::Tags,           // For reads and for writes
  parameter int unsigned WriteLines    = dma_spec_pkg::WriteLines
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Values of the preset; those of the arbiter are its registers' reset values.
  input  logic        [7:0] cfg_descriptor_cycles_i,
  input  logic        [9:0] cfg_pace_i,
  input  logic        [1:0] cfg_policy_i,
  input  logic [qos_pkg::RatesW-1:0] cfg_rate_i,
  input  logic [qos_pkg::DepthsW-1:0] cfg_depth_i,
  // Registers: whole words; data and ok in the same cycle.
  input  logic              reg_valid_i,
  input  logic              reg_write_i,
  input  logic       [11:0] reg_offset_i,
  input  logic       [31:0] reg_data_i,
  output logic              reg_ok_o,
  output logic       [31:0] reg_data_o,
  // Hardware-made pairs, RX in the upper half.
  input  logic              push_valid_i,
  input  logic        [3:0] push_ring_i,
  input  logic      [255:0] push_pair_i,
  output logic              push_ready_o,
  // Ports to memory.
  output logic              fetch_valid_o,
  output dma_pkg::request_t fetch_request_o,
  input  dma_pkg::answer_t  fetch_answer_i,
  input  logic      [511:0] fetch_data_i,
  output logic              read_valid_o,
  output dma_pkg::request_t read_request_o,
  input  dma_pkg::answer_t  read_answer_i,
  input  logic      [511:0] read_data_i,
  output logic              write_valid_o,
  output logic      [511:0] write_data_o,
  output logic        [6:0] write_bytes_o,
  output logic              write_last_o,     // The request is valid with this beat
  output logic              write_immediate_o,  // Whole; may come between another one's beats
  output dma_pkg::request_t write_request_o,
  input  dma_pkg::answer_t  write_answer_i,
  // For observers.
  output logic              taken_o,          // The arbiter chose a packet
  output logic        [3:0] taken_ring_o,
  output logic        [5:0] taken_entry_o,
  output logic              done_o,           // A packet is complete
  output logic        [5:0] done_entry_o,
  output logic        [3:0] done_ring_o,
  output logic        [6:0] done_pairs_o,
  output logic       [22:0] done_bytes_o,
  output logic  [Rings-1:0] stopping_o,       // Rings that record a fault in this cycle
  output logic              rest_o,           // Nothing is in flight
  output logic              idle_o            // Nothing changes without inputs: the clock may stop
);
  dma_pkg::packet_t   packet;
  dma_pkg::stop_t     read_stop, write_stop;
  logic [Packets-1:0] dead;
  logic [767:0]       source_pairs, target_pairs;
  logic [31:0]        crc_value;
  logic [6:0]         source_slot, target_slot;
  logic [5:0]         source_done_entry, target_done_entry, oldest, crc_entry;
  logic [3:0]         source_ring, target_ring;
  logic               dispatch, source_idle, target_full, source_read, target_read, source_done;
  logic               target_done, oldest_done, unknown_answer, crc_valid, crc_wrong;
  logic               back_settled;

  dma_front #(.Rings(Rings), .PrefetchPairs(PrefetchPairs), .Packets(Packets)) u_front (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .cfg_policy_i        (cfg_policy_i),
    .cfg_rate_i          (cfg_rate_i),
    .cfg_depth_i         (cfg_depth_i),
    .reg_valid_i         (reg_valid_i),
    .reg_write_i         (reg_write_i),
    .reg_offset_i        (reg_offset_i),
    .reg_data_i          (reg_data_i),
    .reg_ok_o            (reg_ok_o),
    .reg_data_o          (reg_data_o),
    .push_valid_i        (push_valid_i),
    .push_ring_i         (push_ring_i),
    .push_pair_i         (push_pair_i),
    .push_ready_o        (push_ready_o),
    .fetch_valid_o       (fetch_valid_o),
    .fetch_request_o     (fetch_request_o),
    .fetch_answer_i      (fetch_answer_i),
    .fetch_data_i        (fetch_data_i),
    .dispatch_o          (dispatch),
    .packet_o            (packet),
    .source_idle_i       (source_idle),
    .target_full_i       (target_full),
    .source_read_i       (source_read),
    .source_ring_i       (source_ring),
    .source_slot_i       (source_slot),
    .source_pairs_o      (source_pairs),
    .source_done_i       (source_done),
    .source_done_entry_i (source_done_entry),
    .target_read_i       (target_read),
    .target_ring_i       (target_ring),
    .target_slot_i       (target_slot),
    .target_pairs_o      (target_pairs),
    .target_done_i       (target_done),
    .target_done_entry_i (target_done_entry),
    .dead_o              (dead),
    .oldest_o            (oldest),
    .oldest_done_i       (oldest_done),
    .read_stop_i         (read_stop),
    .write_stop_i        (write_stop),
    .unknown_answer_i    (unknown_answer),
    .crc_valid_i         (crc_valid),
    .crc_entry_i         (crc_entry),
    .crc_value_i         (crc_value),
    .crc_wrong_i         (crc_wrong),
    .back_settled_i      (back_settled),
    .taken_o             (taken_o),
    .taken_ring_o        (taken_ring_o),
    .taken_entry_o       (taken_entry_o),
    .done_o              (done_o),
    .done_entry_o        (done_entry_o),
    .done_ring_o         (done_ring_o),
    .done_pairs_o        (done_pairs_o),
    .done_bytes_o        (done_bytes_o),
    .stopping_o          (stopping_o),
    .rest_o              (rest_o),
    .idle_o              (idle_o)
  );

  dma_back #(
    .Packets(Packets), .ReadLines(ReadLines), .Tags(Tags), .WriteLines(WriteLines)
  ) u_back (
    .clk_i                   (clk_i),
    .rst_ni                  (rst_ni),
    .cfg_descriptor_cycles_i (cfg_descriptor_cycles_i),
    .cfg_pace_i              (cfg_pace_i),
    .dispatch_i              (dispatch),
    .packet_i                (packet),
    .source_idle_o           (source_idle),
    .target_full_o           (target_full),
    .source_read_o           (source_read),
    .source_ring_o           (source_ring),
    .source_slot_o           (source_slot),
    .source_pairs_i          (source_pairs),
    .source_done_o           (source_done),
    .source_done_entry_o     (source_done_entry),
    .target_read_o           (target_read),
    .target_ring_o           (target_ring),
    .target_slot_o           (target_slot),
    .target_pairs_i          (target_pairs),
    .target_done_o           (target_done),
    .target_done_entry_o     (target_done_entry),
    .dead_i                  (dead),
    .oldest_i                (oldest),
    .oldest_done_o           (oldest_done),
    .read_stop_o             (read_stop),
    .write_stop_o            (write_stop),
    .unknown_answer_o        (unknown_answer),
    .crc_valid_o             (crc_valid),
    .crc_entry_o             (crc_entry),
    .crc_value_o             (crc_value),
    .crc_wrong_o             (crc_wrong),
    .read_valid_o            (read_valid_o),
    .read_request_o          (read_request_o),
    .read_answer_i           (read_answer_i),
    .read_data_i             (read_data_i),
    .write_valid_o           (write_valid_o),
    .write_data_o            (write_data_o),
    .write_bytes_o           (write_bytes_o),
    .write_last_o            (write_last_o),
    .write_immediate_o       (write_immediate_o),
    .write_request_o         (write_request_o),
    .write_answer_i          (write_answer_i),
    .settled_o               (back_settled)
  );

`ifdef TERN_COVER_POINTS
`include "dma_cover.svh"
`endif
endmodule
