// SPDX-License-Identifier: Apache-2.0
// The DMA engine in an AXI4 system: registers as an AXI4-Lite subordinate, descriptors and data as
// managers of reads, and a manager of writes.
module axi_dma #(
  parameter int unsigned Rings         = dma_spec_pkg::Rings,
  parameter int unsigned PrefetchPairs = dma_spec_pkg::PrefetchPairs,  // Per ring
  parameter int unsigned Packets       = dma_spec_pkg::Packets,
  parameter int unsigned ReadLines     = dma_spec_pkg::ReadLines,
  parameter int unsigned Tags          = dma_spec_pkg::Tags,           // For reads and for writes
  parameter int unsigned WriteLines    = dma_spec_pkg::WriteLines
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  // As those of dma_engine.
  input  logic   [7:0] cfg_descriptor_cycles_i,
  input  logic   [9:0] cfg_pace_i,
  input  logic   [1:0] cfg_policy_i,
  input  logic [qos_pkg::RatesW-1:0] cfg_rate_i,
  input  logic [qos_pkg::DepthsW-1:0] cfg_depth_i,
  input  logic         push_valid_i,
  input  logic   [3:0] push_ring_i,
  input  logic [255:0] push_pair_i,
  output logic         push_ready_o,
  output logic         done_o,
  output logic   [3:0] done_ring_o,
  output logic   [6:0] done_pairs_o,
  output logic [Rings-1:0] stopping_o,
  output logic         rest_o,
  // Registers.
  input  logic         reg_aw_valid_i,
  output logic         reg_aw_ready_o,
  input  logic  [11:0] reg_aw_addr_i,
  input  logic         reg_w_valid_i,
  output logic         reg_w_ready_o,
  input  logic  [31:0] reg_w_data_i,
  input  logic   [3:0] reg_w_strb_i,
  output logic         reg_b_valid_o,
  input  logic         reg_b_ready_i,
  output logic   [1:0] reg_b_resp_o,
  input  logic         reg_ar_valid_i,
  output logic         reg_ar_ready_o,
  input  logic  [11:0] reg_ar_addr_i,
  output logic         reg_r_valid_o,
  input  logic         reg_r_ready_i,
  output logic  [31:0] reg_r_data_o,
  output logic   [1:0] reg_r_resp_o,
  // Descriptors.
  output logic         fetch_ar_valid_o,
  input  logic         fetch_ar_ready_i,
  output logic  [63:0] fetch_ar_addr_o,
  output logic   [7:0] fetch_ar_len_o,
  output logic   [2:0] fetch_ar_size_o,
  output logic   [1:0] fetch_ar_burst_o,
  output logic   [3:0] fetch_ar_qos_o,
  input  logic         fetch_r_valid_i,
  output logic         fetch_r_ready_o,
  input  logic [511:0] fetch_r_data_i,
  input  logic   [1:0] fetch_r_resp_i,
  input  logic         fetch_r_last_i,
  // Data.
  output logic         ar_valid_o,
  input  logic         ar_ready_i,
  output logic  [63:0] ar_addr_o,
  output logic   [7:0] ar_len_o,
  output logic   [2:0] ar_size_o,
  output logic   [1:0] ar_burst_o,
  output logic   [3:0] ar_qos_o,
  input  logic         r_valid_i,
  output logic         r_ready_o,
  input  logic [511:0] r_data_i,
  input  logic   [1:0] r_resp_i,
  input  logic         r_last_i,
  output logic         aw_valid_o,
  input  logic         aw_ready_i,
  output logic  [63:0] aw_addr_o,
  output logic   [7:0] aw_len_o,
  output logic   [2:0] aw_size_o,
  output logic   [1:0] aw_burst_o,
  output logic   [3:0] aw_qos_o,
  output logic   [1:0] aw_user_o,
  output logic         w_valid_o,
  input  logic         w_ready_i,
  output logic [511:0] w_data_o,
  output logic  [63:0] w_strb_o,
  output logic         w_last_o,
  input  logic         b_valid_i,
  output logic         b_ready_o,
  input  logic   [1:0] b_resp_i
);
  logic              reg_valid, reg_write, reg_ok;
  logic       [11:0] reg_offset;
  logic       [31:0] reg_wdata, reg_rdata;
  logic              fetch_valid, read_valid;
  dma_pkg::request_t fetch_request, read_request, write_request;
  dma_pkg::answer_t  fetch_answer, read_answer, write_answer;
  logic      [511:0] fetch_data, read_data, write_data;
  logic              write_valid, write_last, write_immediate;
  logic        [6:0] write_bytes;

  dma_engine #(
    .Rings(Rings), .PrefetchPairs(PrefetchPairs), .Packets(Packets), .ReadLines(ReadLines),
    .Tags(Tags), .WriteLines(WriteLines)
  ) u_engine (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .cfg_descriptor_cycles_i(cfg_descriptor_cycles_i),
    .cfg_pace_i             (cfg_pace_i),
    .cfg_policy_i           (cfg_policy_i),
    .cfg_rate_i             (cfg_rate_i),
    .cfg_depth_i            (cfg_depth_i),
    .reg_valid_i            (reg_valid),
    .reg_write_i            (reg_write),
    .reg_offset_i           (reg_offset),
    .reg_data_i             (reg_wdata),
    .reg_ok_o               (reg_ok),
    .reg_data_o             (reg_rdata),
    .push_valid_i           (push_valid_i),
    .push_ring_i            (push_ring_i),
    .push_pair_i            (push_pair_i),
    .push_ready_o           (push_ready_o),
    .fetch_valid_o          (fetch_valid),
    .fetch_request_o        (fetch_request),
    .fetch_answer_i         (fetch_answer),
    .fetch_data_i           (fetch_data),
    .read_valid_o           (read_valid),
    .read_request_o         (read_request),
    .read_answer_i          (read_answer),
    .read_data_i            (read_data),
    .write_valid_o          (write_valid),
    .write_data_o           (write_data),
    .write_bytes_o          (write_bytes),
    .write_last_o           (write_last),
    .write_immediate_o      (write_immediate),
    .write_request_o        (write_request),
    .write_answer_i         (write_answer),
    .taken_o                (),
    .taken_ring_o           (),
    .taken_entry_o          (),
    .done_o                 (done_o),
    .done_entry_o           (),
    .done_ring_o            (done_ring_o),
    .done_pairs_o           (done_pairs_o),
    .done_bytes_o           (),
    .stopping_o             (stopping_o),
    .rest_o                 (rest_o),
    .idle_o                 ()
  );

  axi_lite_registers u_registers (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .aw_valid_i  (reg_aw_valid_i),
    .aw_ready_o  (reg_aw_ready_o),
    .aw_addr_i   (reg_aw_addr_i),
    .w_valid_i   (reg_w_valid_i),
    .w_ready_o   (reg_w_ready_o),
    .w_data_i    (reg_w_data_i),
    .w_strb_i    (reg_w_strb_i),
    .b_valid_o   (reg_b_valid_o),
    .b_ready_i   (reg_b_ready_i),
    .b_resp_o    (reg_b_resp_o),
    .ar_valid_i  (reg_ar_valid_i),
    .ar_ready_o  (reg_ar_ready_o),
    .ar_addr_i   (reg_ar_addr_i),
    .r_valid_o   (reg_r_valid_o),
    .r_ready_i   (reg_r_ready_i),
    .r_data_o    (reg_r_data_o),
    .r_resp_o    (reg_r_resp_o),
    .reg_valid_o (reg_valid),
    .reg_write_o (reg_write),
    .reg_offset_o(reg_offset),
    .reg_data_o  (reg_wdata),
    .reg_ok_i    (reg_ok),
    .reg_data_i  (reg_rdata)
  );

  axi_read #(
    .Tags(Tags)
  ) u_fetch (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .request_valid_i(fetch_valid),
    .request_i      (fetch_request),
    .answer_o       (fetch_answer),
    .data_o         (fetch_data),
    .ar_valid_o     (fetch_ar_valid_o),
    .ar_ready_i     (fetch_ar_ready_i),
    .ar_addr_o      (fetch_ar_addr_o),
    .ar_len_o       (fetch_ar_len_o),
    .ar_size_o      (fetch_ar_size_o),
    .ar_burst_o     (fetch_ar_burst_o),
    .ar_qos_o       (fetch_ar_qos_o),
    .r_valid_i      (fetch_r_valid_i),
    .r_ready_o      (fetch_r_ready_o),
    .r_data_i       (fetch_r_data_i),
    .r_resp_i       (fetch_r_resp_i),
    .r_last_i       (fetch_r_last_i)
  );

  axi_read #(
    .Tags(Tags)
  ) u_read (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .request_valid_i(read_valid),
    .request_i      (read_request),
    .answer_o       (read_answer),
    .data_o         (read_data),
    .ar_valid_o     (ar_valid_o),
    .ar_ready_i     (ar_ready_i),
    .ar_addr_o      (ar_addr_o),
    .ar_len_o       (ar_len_o),
    .ar_size_o      (ar_size_o),
    .ar_burst_o     (ar_burst_o),
    .ar_qos_o       (ar_qos_o),
    .r_valid_i      (r_valid_i),
    .r_ready_o      (r_ready_o),
    .r_data_i       (r_data_i),
    .r_resp_i       (r_resp_i),
    .r_last_i       (r_last_i)
  );

  axi_write #(
    .Tags(Tags), .Lines(WriteLines)
  ) u_write (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .write_valid_i    (write_valid),
    .write_data_i     (write_data),
    .write_bytes_i    (write_bytes),
    .write_last_i     (write_last),
    .write_immediate_i(write_immediate),
    .write_request_i  (write_request),
    .answer_o         (write_answer),
    .aw_valid_o       (aw_valid_o),
    .aw_ready_i       (aw_ready_i),
    .aw_addr_o        (aw_addr_o),
    .aw_len_o         (aw_len_o),
    .aw_size_o        (aw_size_o),
    .aw_burst_o       (aw_burst_o),
    .aw_qos_o         (aw_qos_o),
    .aw_user_o        (aw_user_o),
    .w_valid_o        (w_valid_o),
    .w_ready_i        (w_ready_i),
    .w_data_o         (w_data_o),
    .w_strb_o         (w_strb_o),
    .w_last_o         (w_last_o),
    .b_valid_i        (b_valid_i),
    .b_ready_o        (b_ready_o),
    .b_resp_i         (b_resp_i)
  );
endmodule
