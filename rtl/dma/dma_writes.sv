// SPDX-License-Identifier: Apache-2.0
// Writes in flight: tags, lines, what each packet still waits for; immediates, which wait for the
// writes before them.
`include "tern_assert.svh"

module dma_writes #(
  parameter int unsigned Packets = dma_spec_pkg::Packets,
  parameter int unsigned Tags    = dma_spec_pkg::Tags,
  parameter int unsigned Lines   = dma_spec_pkg::WriteLines,
  localparam int unsigned EntryW = $clog2(Packets),
  localparam int unsigned TagW   = $clog2(Tags),
  localparam int unsigned LinesW = $clog2(Lines + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // A target piece begins, in order (dma_mover).
  input  logic                 [10:0] bytes_i,        // Of the piece that could begin
  output logic                        room_o,         // Tag and lines for it are available
  output logic                        immediate_room_o,
  output logic                  [5:0] tag_o,          // Allocated to it
  input  logic                        begin_i,
  input  logic                        immediate_i,    // It is an immediate
  input  dma_back_pkg::target_piece_t piece_i,
  input  dma_pkg::packet_t            packet_i,
  // The packet table.
  input  logic                        dispatch_i,     // An entry begins
  input  logic                  [5:0] dispatch_entry_i,
  input  logic                        last_i,         // The last beat of packet_i entered
  input  logic          [Packets-1:0] dead_i,
  input  logic                  [5:0] oldest_i,
  output logic                        oldest_done_o,
  // Answers.
  input  dma_pkg::answer_t            answer_i,
  output dma_pkg::stop_t              stop_o,
  output logic                        unknown_o,      // Of a tag that is not in flight
  // Immediates.
  input  logic                        arrived_i,      // One has passed the mover's stages
  input  logic                        port_busy_i,    // A beat is on the write port
  output logic                        immediate_valid_o,
  output logic                 [31:0] immediate_value_o,
  output dma_pkg::request_t           immediate_request_o
);
  localparam int unsigned Waiting = dma_spec_pkg::Immediates;
  dma_back_pkg::write_t   opened;
  localparam int unsigned WriteW  = $bits(opened);
  localparam int unsigned QueueW  = 32 + $bits(immediate_request_o);

  logic [Tags-1:0]     busy_q, plain_q;   // Tags in flight; those that are not immediates
  logic [LinesW-1:0]   free_q;
  logic [WriteW-1:0]   writes [Tags];
  logic [TagW:0]       pending [Packets]; // Writes of a packet that are not answered
  logic [Packets-1:0]  immediate_q;       // Its immediate is neither answered nor dropped
  logic [Packets-1:0]  gone_q;            // Its last beat has entered

  // The lowest free tag.
  logic [Tags-1:0] free, lowest;
  logic [TagW-1:0] tag;
  assign free   = ~busy_q;
  assign lowest = free & -free;
  // Its number: bit b is set if the tag is among those with bit b.
  function automatic logic [TagW*Tags-1:0] with_digit();
    with_digit = '0;
    for (int unsigned b = 0; b < TagW; b++) begin
      for (int unsigned i = 0; i < Tags; i++) with_digit[b*Tags+i] = ((i >> b) & 1) != 0;
    end
  endfunction
  localparam logic [TagW*Tags-1:0] WithDigit = with_digit();
  always_comb begin
    for (int unsigned b = 0; b < TagW; b++) tag[b] = |(lowest & WithDigit[b*Tags+:Tags]);
  end
  assign tag_o = 6'(tag);

  assign opened.entry   = packet_i.entry;
  assign opened.pair    = piece_i.pair;
  assign opened.lines   = 5'((bytes_i + 11'd63) >> 6);
  assign opened.address = piece_i.address;
  assign room_o        = free != '0 && LinesW'(opened.lines) <= free_q;

  // Answers.
  dma_back_pkg::write_t answered;
  logic                 known;
  logic [TagW-1:0]      answer_tag;
  assign answer_tag = answer_i.tag[TagW-1:0];
  assign answered   = writes[answer_tag];
  assign known      = answer_i.valid && busy_q[answer_tag];
  assign unknown_o  = answer_i.valid && !known;

  assign stop_o.valid   = known && answer_i.error != dma_pkg::AnswerGood;
  assign stop_o.entry   = answered.entry;
  assign stop_o.pair    = answered.pair;
  assign stop_o.fault   = answer_i.error == dma_pkg::AnswerUncorrectable ? dma_spec_pkg::FaultEcc
                                                                         : dma_spec_pkg::FaultWrite;
  assign stop_o.address = answered.address;

  // An immediate that is next (below) and whose packet is dead is dropped.
  logic                 drop, plain_begin, plain_known;
  dma_pkg::request_t    next_request;
  dma_back_pkg::write_t dropped;
  assign plain_begin = begin_i && !immediate_i;
  assign plain_known = known && plain_q[answer_tag];

  logic [EntryW-1:0] begin_entry, answer_entry, oldest;
  logic [Tags-1:0]   taken, given;
  assign begin_entry  = packet_i.entry[EntryW-1:0];
  assign answer_entry = answered.entry[EntryW-1:0];
  assign oldest       = oldest_i[EntryW-1:0];
  assign taken        = begin_i ? lowest : '0;
  assign given        = (known ? Tags'(1) << answer_tag : '0) |
                        (drop ? Tags'(1) << next_request.tag : '0);

  assign oldest_done_o = gone_q[oldest] && pending[oldest] == '0 && !immediate_q[oldest];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= '0;
      plain_q     <= '0;
      free_q      <= LinesW'(Lines);
      gone_q      <= '0;
      immediate_q <= '0;
    end else begin
      if (begin_i || known || drop) begin
        busy_q  <= (busy_q | taken) & ~given;
        plain_q <= (plain_q | (immediate_i ? '0 : taken)) & ~given;
        free_q  <= free_q - (begin_i ? LinesW'(opened.lines) : '0)
                          + (known ? LinesW'(answered.lines) : '0) + LinesW'(drop);
      end
      if (known && !plain_known) immediate_q[answer_entry] <= 1'b0;
      if (drop) immediate_q[dropped.entry[EntryW-1:0]] <= 1'b0;
      if (begin_i && immediate_i) immediate_q[begin_entry] <= 1'b1;
      if (dispatch_i) gone_q[dispatch_entry_i[EntryW-1:0]] <= 1'b0;
      if (last_i) gone_q[begin_entry] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begin_i) writes[tag] <= opened;
    if (dispatch_i) pending[dispatch_entry_i[EntryW-1:0]] <= '0;
    if (!(plain_begin && plain_known && begin_entry == answer_entry)) begin
      if (plain_begin) pending[begin_entry] <= pending[begin_entry] + 1'b1;
      if (plain_known) pending[answer_entry] <= pending[answer_entry] - 1'b1;
    end
  end

  // Immediates between mover and port: what they store, and the tags for which they wait.
  logic [QueueW-1:0]  queue [Waiting];
  logic [Waiting*Tags-1:0] mask_q;
  logic [3:0]         in_q, out_q;
  logic [4:0]         count_q, ready_q;  // All; those that have passed the stages
  logic               enter, leave, turn;
  dma_pkg::request_t  entering;
  assign enter = begin_i && immediate_i;
  assign leave = turn;
  assign entering.address       = piece_i.address;
  assign entering.bytes         = 11'd4;
  assign entering.tag           = tag_o;
  assign entering.traffic_class = packet_i.traffic_class;
  assign entering.write_op      = dma_spec_pkg::WriteStore;
  assign immediate_room_o       = count_q != 5'(Waiting);
  assign turn                = (ready_q != '0 || arrived_i) && mask_q[out_q*Tags+:Tags] == '0 &&
                               !port_busy_i;
  assign {immediate_value_o, next_request} = queue[out_q];
  assign dropped             = writes[next_request.tag[TagW-1:0]];
  assign drop                = turn && dead_i[dropped.entry[EntryW-1:0]];
  assign immediate_valid_o   = turn && !drop;
  assign immediate_request_o = next_request;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q    <= '0;
      out_q   <= '0;
      count_q <= '0;
      ready_q <= '0;
    end else begin
      if (enter) in_q <= in_q + 4'd1;
      if (leave) out_q <= out_q + 4'd1;
      count_q <= count_q + {4'd0, enter} - {4'd0, leave};
      ready_q <= ready_q + {4'd0, arrived_i} - {4'd0, leave};
    end
  end

  always_ff @(posedge clk_i) begin
    if (enter) queue[in_q] <= {piece_i.value, entering};
    if (known && count_q != '0) mask_q <= mask_q & ~{Waiting{given}};
    if (enter) mask_q[in_q*Tags+:Tags] <= plain_q & ~given;
  end

  `TERN_ASSERT(BeginWithRoom, !begin_i || room_o)
  `TERN_ASSERT(ImmediateWithRoom, !enter || immediate_room_o)

`ifdef FORMAL
`include "dma_writes_properties.svh"
`endif
endmodule
