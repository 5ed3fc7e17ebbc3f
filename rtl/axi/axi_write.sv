// SPDX-License-Identifier: Apache-2.0
// The write port of the DMA engine as an AXI4 manager: one burst for each request, one ID, answers
// in order. The engine names the address with the last beat: until then beats wait here, packed.
`include "tern_assert.svh"

module axi_write #(
  parameter int unsigned Tags  = dma_spec_pkg::Tags,       // Requests in flight
  parameter int unsigned Lines = dma_spec_pkg::WriteLines  // Their lines of 64 bytes
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // The engine's port, which waits for nothing.
  input  logic              write_valid_i,
  input  logic      [511:0] write_data_i,
  input  logic        [6:0] write_bytes_i,
  input  logic              write_last_i,
  input  logic              write_immediate_i,
  input  dma_pkg::request_t write_request_i,
  output dma_pkg::answer_t  answer_o,
  // AXI4.
  output logic              aw_valid_o,
  input  logic              aw_ready_i,
  output logic       [63:0] aw_addr_o,
  output logic        [7:0] aw_len_o,
  output logic        [2:0] aw_size_o,
  output logic        [1:0] aw_burst_o,
  output logic        [3:0] aw_qos_o,
  output logic        [1:0] aw_user_o,      // write_op
  output logic              w_valid_o,
  input  logic              w_ready_i,
  output logic      [511:0] w_data_o,
  output logic       [63:0] w_strb_o,
  output logic              w_last_o,
  input  logic              b_valid_i,
  output logic              b_ready_o,
  input  logic        [1:0] b_resp_i
);
  // Beats packed into lines. A line leaves when more comes or the request has ended.
  logic          beat, line_push, ended_q;
  logic [511:0]  hold_q;
  logic [6:0]    held_q, held;
  logic [1023:0] joined;
  logic [7:0]    sum;
  assign beat      = write_valid_i && !write_immediate_i;
  assign held      = ended_q ? 7'd0 : held_q;
  assign sum       = 8'(held) + 8'(write_bytes_i);
  assign line_push = ended_q || (beat && sum > 8'd64);
  // Bytes of a beat above its size are not zero: they are cut off before others join them.
  logic [511:0] fresh;
  assign fresh  = write_data_i & ~({512{1'b1}} << {write_bytes_i, 3'd0});
  assign joined = ((held == '0) ? 1024'd0 : 1024'(hold_q)) | (1024'(fresh) << {held, 3'd0});

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q  <= '0;
      ended_q <= 1'b0;
    end else if (beat) begin
      held_q  <= (sum > 8'd64) ? 7'(sum - 8'd64) : 7'(sum);
      ended_q <= write_last_i;
    end else if (ended_q) begin
      held_q  <= '0;
      ended_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (beat) hold_q <= (sum > 8'd64) ? joined[1023:512] : joined[511:0];
  end

  logic         line_valid, line_pop;
  logic [511:0] line;
  tern_fifo #(.Width(512), .Depth(Lines)) u_lines (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (line_push),
    .data_i  (ended_q ? hold_q : joined[511:0]),
    .pop_i   (line_pop),
    .valid_o (line_valid),
    .data_o  (line)
  );

  // Requests; an immediate comes with its value.
  logic        open, immediate, next;
  logic [63:0] address;
  logic [10:0] bytes;
  logic [1:0]  class_now;
  logic [31:0] value;
  tern_fifo #(.Width(1 + 32 + 64 + 11 + 4), .Depth(Tags)) u_requests (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (write_valid_i && write_last_i),
    .data_i  ({write_immediate_i, write_data_i[31:0], write_request_i.address,
               write_request_i.bytes, write_request_i.traffic_class, write_request_i.write_op}),
    .pop_i   (next),
    .valid_o (open),
    .data_o  ({immediate, value, address, bytes, class_now, aw_user_o})
  );

  // Address and data of the oldest request; either may be taken first.
  logic [4:0]   beat_q, last_beat, last_line;
  logic         address_done_q, data_done_q, has_line, last_taken;
  logic [511:0] before_q, current;
  logic [11:0]  end_now;
  assign end_now    = 12'(address[5:0]) + 12'(bytes) - 12'd1;
  assign last_beat  = 5'(end_now >> 6);
  assign last_line  = 5'((bytes - 11'd1) >> 6);
  assign has_line   = !immediate && beat_q <= last_line;
  // Without a line of its own a beat must not show the next request's, which may still come.
  assign current    = immediate ? 512'(value) : has_line ? line : '0;
  assign aw_valid_o = open && !address_done_q;
  assign aw_addr_o  = {address[63:6], 6'd0};
  assign aw_len_o   = 8'(last_beat);
  assign aw_size_o  = axi_pkg::Size64;
  assign aw_burst_o = axi_pkg::BurstIncr;
  assign aw_qos_o   = {2'd0, ~class_now};
  assign w_valid_o  = open && !data_done_q && (!has_line || line_valid);
  assign w_last_o   = beat_q == last_beat;
  assign line_pop   = w_valid_o && w_ready_i && has_line;
  assign last_taken = w_valid_o && w_ready_i && w_last_o;
  assign next       = open && (address_done_q || aw_ready_i) && (data_done_q || last_taken);

  assign w_data_o = 512'(({current, before_q} << {address[5:0], 3'd0}) >> 10'd512);
  always_comb begin
    w_strb_o = '1;
    if (beat_q == '0) w_strb_o = w_strb_o << address[5:0];
    if (w_last_o) w_strb_o = w_strb_o & ~(({64{1'b1}} << end_now[5:0]) << 1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q         <= '0;
      address_done_q <= 1'b0;
      data_done_q    <= 1'b0;
    end else if (next) begin
      beat_q         <= '0;
      address_done_q <= 1'b0;
      data_done_q    <= 1'b0;
    end else begin
      if (w_valid_o && w_ready_i) beat_q <= beat_q + 5'd1;
      if (aw_valid_o && aw_ready_i) address_done_q <= 1'b1;
      if (last_taken) data_done_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (w_valid_o && w_ready_i) before_q <= current;
  end

  // Answers.
  tern_fifo #(.Width(6), .Depth(Tags)) u_order (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (write_valid_i && write_last_i),
    .data_i  (write_request_i.tag),
    .pop_i   (answer_o.valid),
    .valid_o (b_ready_o),
    .data_o  (answer_o.tag)
  );
  assign answer_o.valid = b_valid_i && b_ready_o;
  assign answer_o.last  = 1'b1;
  assign answer_o.error = (b_resp_i == axi_pkg::RespSlvErr) ? dma_pkg::AnswerUncorrectable :
                          (b_resp_i == axi_pkg::RespDecErr) ? dma_pkg::AnswerBadAddress
                                                            : dma_pkg::AnswerGood;

`ifdef FORMAL
`include "axi_write_properties.svh"
`endif
`ifdef TERN_COVER_POINTS
`include "axi_write_cover.svh"
`endif
endmodule
