// SPDX-License-Identifier: Apache-2.0
// A read port of the DMA engine as an AXI4 manager: one burst for each request, one ID, answers in
// order. Beats of the bus are aligned, those of an answer packed from the request's first byte.
`include "tern_assert.svh"

module axi_read #(
  parameter int unsigned Tags = dma_spec_pkg::Tags   // Requests in flight
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // The engine's port, which waits for nothing.
  input  logic              request_valid_i,
  input  dma_pkg::request_t request_i,
  output dma_pkg::answer_t  answer_o,
  output logic      [511:0] data_o,
  // AXI4.
  output logic              ar_valid_o,
  input  logic              ar_ready_i,
  output logic       [63:0] ar_addr_o,
  output logic        [7:0] ar_len_o,
  output logic        [2:0] ar_size_o,
  output logic        [1:0] ar_burst_o,
  output logic        [3:0] ar_qos_o,
  input  logic              r_valid_i,
  output logic              r_ready_o,
  input  logic      [511:0] r_data_i,
  input  logic        [1:0] r_resp_i,
  input  logic              r_last_i
);
  // Requests not yet on the bus.
  logic [57:0] line;
  logic [11:0] reach;
  logic [1:0]  class_now;
  assign reach = 12'(request_i.address[5:0]) + 12'(request_i.bytes) + 12'd63;
  tern_fifo #(.Width(58 + 5 + 2), .Depth(Tags)) u_requests (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (request_valid_i),
    .data_i  ({request_i.address[63:6], 5'(reach[11:6] - 6'd1), request_i.traffic_class}),
    .pop_i   (ar_valid_o && ar_ready_i),
    .valid_o (ar_valid_o),
    .data_o  ({line, ar_len_o[4:0], class_now})
  );
  assign ar_len_o[7:5] = '0;
  assign ar_addr_o     = {line, 6'd0};
  assign ar_size_o     = axi_pkg::Size64;
  assign ar_burst_o    = axi_pkg::BurstIncr;
  assign ar_qos_o      = {2'd0, ~class_now};   // Class 0 is the most urgent, QoS 0 the least

  // Requests not yet answered, in order.
  logic       open, fits, done;
  logic [5:0] offset, tag;
  tern_fifo #(.Width(6 + 1 + 6), .Depth(Tags)) u_order (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (request_valid_i),
    .data_i  ({request_i.address[5:0],
               7'(request_i.address[5:0]) + 7'(6'(request_i.bytes - 11'd1)) < 7'd64,
               request_i.tag}),
    .pop_i   (done),
    .valid_o (open),
    .data_o  ({offset, fits, tag})
  );

  // fits: as many beats packed as on the bus. Then what the last one holds takes a cycle more.
  logic         first_q, flush_q, take;
  logic [511:0] before_q;
  logic [1:0]   error_q, error;
  assign r_ready_o = open && !flush_q;
  assign take      = r_valid_i && r_ready_o;
  assign data_o    = 512'({flush_q ? 512'd0 : r_data_i, (offset == '0) ? r_data_i : before_q}
                          >> {offset, 3'd0});

  always_comb begin
    error = error_q;
    if (take && error_q == dma_pkg::AnswerGood) begin
      case (r_resp_i)
        axi_pkg::RespSlvErr: error = dma_pkg::AnswerUncorrectable;
        axi_pkg::RespDecErr: error = dma_pkg::AnswerBadAddress;
        default:             error = dma_pkg::AnswerGood;
      endcase
    end
  end

  assign answer_o.valid = flush_q || (take && (offset == '0 || !first_q));
  assign answer_o.last  = flush_q || (r_last_i && (offset == '0 || !fits));
  assign answer_o.tag   = tag;
  assign answer_o.error = error;
  assign done           = answer_o.valid && answer_o.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      flush_q <= 1'b0;
      error_q <= dma_pkg::AnswerGood;
    end else begin
      if (take) first_q <= r_last_i;
      flush_q <= take && r_last_i && offset != '0 && fits;
      error_q <= done ? dma_pkg::AnswerGood : error;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) before_q <= r_data_i;
  end

`ifdef FORMAL
`include "axi_read_properties.svh"
`endif
`ifdef TERN_COVER_POINTS
`include "axi_read_cover.svh"
`endif
endmodule
