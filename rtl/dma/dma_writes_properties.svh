// SPDX-License-Identifier: Apache-2.0
// Proved properties of dma_writes (README.md, "Order and completion", "Operations in transit"):
// included by formal tools only. A packet is complete when all its writes are; an immediate waits
// for the writes before it; lines and tags are neither lost nor given twice. Reset is active in the
// first cycle only.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// Immediates in the queue: which tags they hold and where they are.
localparam int unsigned WaitW = $clog2(Waiting);
logic [Tags-1:0]  f_queued = '0;
logic [WaitW-1:0] f_position [Tags];
logic [TagW-1:0]  f_next_tag;
assign f_next_tag = next_request.tag[TagW-1:0];
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    f_queued <= (f_queued | ((begin_i && immediate_i) ? lowest : '0)) &
                ~(turn ? Tags'(1) << f_next_tag : '0);
    if (begin_i && immediate_i) f_position[tag] <= in_q;
  end
end

// What the mover and memory guarantee: no beginning without room, an immediate has four bytes and
// arrives after it began; no answer before the request.
always_comb begin
  assume (!begin_i || room_o);
  assume (!begin_i || !immediate_i || (immediate_room_o && bytes_i == 11'd4));
  assume (bytes_i >= 11'd1 && bytes_i <= 11'd1024);
  assume (!arrived_i || ready_q < count_q);
  assume (!answer_i.valid || !f_queued[answer_tag]);
  assume (32'(answer_i.tag) < Tags);
end

// Lines and tags.
logic [LinesW+TagW:0] f_lines;
logic [dma_back_pkg::PieceLinesW-1:0] f_tag_lines [Tags];
logic [EntryW-1:0] f_tag_entry [Tags];
for (genvar t = 0; t < Tags; t++) begin : gen_write
  dma_back_pkg::write_t write;
  assign write          = writes[t];
  assign f_tag_lines[t] = write.lines;
  assign f_tag_entry[t] = write.entry[EntryW-1:0];
end
always_comb begin
  f_lines = '0;
  for (int unsigned t = 0; t < Tags; t++) begin
    if (busy_q[t]) f_lines = f_lines + (LinesW+TagW+1)'(f_tag_lines[t]);
  end
end
logic [Tags-1:0] f_given;  // By their answer, or dropped
assign f_given = ((answer_i.valid && busy_q[answer_tag]) ? Tags'(1) << answer_tag : '0) |
                 ((turn && !immediate_valid_o) ? Tags'(1) << f_next_tag : '0);
logic [WaitW:0] f_count;
assign f_count = count_q;
always_comb begin
  if (f_started) begin
    // "A target piece's request holds tag and lines from its first beat until its answer."
    /* LinesAddUp */ assert (32'(free_q) <= Lines && 32'(free_q) + 32'(f_lines) == Lines);
    /* TagWasFree */ assert (!begin_i || !busy_q[tag]);
    /* LinesAreRoom */ assert (!begin_i || 32'(opened.lines) + 32'(f_lines) <= Lines);
    /* PlainIsBusy */ assert ((plain_q & ~busy_q) == '0);
    /* QueuedIsBusy */ assert ((f_queued & ~(busy_q & ~plain_q)) == '0);
    /* QueueBounded */ assert (count_q <= 5'(Waiting) && ready_q <= count_q &&
                               in_q == out_q + count_q[3:0]);
    for (int unsigned t = 0; t < Tags; t++) begin
      /* SomeLines */ assert (!busy_q[t] || f_tag_lines[t] != '0);
      /* OneLine */ assert (!f_queued[t] || f_tag_lines[t] == 5'd1);
      /* InQueue */ assert (!f_queued[t] ||
          (WaitW+1)'(WaitW'(f_position[t] - out_q)) < f_count);
    end
  end
end

// The requests that wait: each position belongs to one queued tag, and each queued tag to one.
for (genvar t = 0; t < Tags; t++) begin : gen_queued
  dma_pkg::request_t request;
  logic [31:0] unused_value;
  assign {unused_value, request} = queue[f_position[t]];
  always_comb begin
    /* IsInQueue */ assert (!f_started || !f_queued[t] || 32'(request.tag) == t);
  end
end
for (genvar i = 0; i < Waiting; i++) begin : gen_waiting
  dma_pkg::request_t request;
  logic [31:0] unused_value;
  logic [WaitW-1:0] distance;
  logic [TagW-1:0] of;
  assign {unused_value, request} = queue[i];
  assign distance = WaitW'(i) - out_q;
  assign of = request.tag[TagW-1:0];
  always_comb begin
    if (f_started && (WaitW+1)'(distance) < f_count) begin
      /* HoldsTag */ assert (f_queued[of] && 32'(request.tag) < Tags &&
                             f_position[of] == WaitW'(i));
    end
  end
end

// Any one packet, from its dispatch until it is complete. Its entry is not dispatched again before
// that; it has at most one immediate; nothing of it begins after its last beat.
(* anyconst *) logic [EntryW-1:0] f_entry;
logic            f_lives = 1'b0, f_had_last = 1'b0, f_had_immediate = 1'b0;
logic [Tags-1:0] f_open = '0;  // Its writes that have begun and are not complete
logic            f_dispatched, f_begins, f_complete;
assign f_dispatched = dispatch_i && dispatch_entry_i[EntryW-1:0] == f_entry;
assign f_begins     = begin_i && begin_entry == f_entry;
assign f_complete   = oldest_done_o && oldest == f_entry && f_lives;
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    if (f_dispatched) f_lives <= 1'b1;
    else if (f_complete) f_lives <= 1'b0;
    f_open <= (f_open | (f_begins ? lowest : '0)) & ~f_given;
    if (f_dispatched) f_had_last <= 1'b0;
    else if (last_i && begin_entry == f_entry) f_had_last <= 1'b1;
    if (f_dispatched) f_had_immediate <= 1'b0;
    else if (f_begins && immediate_i) f_had_immediate <= 1'b1;
  end
end
logic [TagW:0] f_open_plain;
logic          f_open_immediate;
always_comb begin
  assume (!f_dispatched || !f_lives);
  assume (!f_begins || (f_lives && !f_had_last));
  assume (!(last_i && begin_entry == f_entry) || (f_lives && !f_had_last));
  assume (!f_begins || !immediate_i || !f_had_immediate);
  f_open_plain     = '0;
  f_open_immediate = 1'b0;
  for (int unsigned t = 0; t < Tags; t++) begin
    f_open_plain     = f_open_plain + (TagW+1)'(f_open[t] && plain_q[t]);
    f_open_immediate = f_open_immediate || (f_open[t] && !plain_q[t]);
  end
end
always_comb begin
  if (f_started) begin
    // "A packet is complete when all its writes are", and all its beats have entered.
    /* CompleteIsAnswered */ assert (!f_complete || (f_open == '0 && f_had_last));
    // And then without delay: "a + 1 at the earliest".
    /* AnsweredIsComplete */ assert (!f_lives || oldest != f_entry || f_open != '0 ||
                                     !f_had_last || oldest_done_o);
    // Invariants.
    /* OpenLives */ assert (f_lives || f_open == '0);
    /* OpenIsBusy */ assert ((f_open & ~busy_q) == '0);
    /* Gone */ assert (!f_lives || gone_q[f_entry] == f_had_last);
    /* Pending */ assert (!f_lives || pending[f_entry] == f_open_plain);
    /* Immediate */ assert (immediate_q[f_entry] == f_open_immediate &&
                            (!f_open_immediate || f_had_immediate));
    for (int unsigned t = 0; t < Tags; t++) begin
      /* OpenIsItsEntry */ assert (!busy_q[t] ||
                                   (f_tag_entry[t] == f_entry) == f_open[t]);
      for (int unsigned u = 0; u < t; u++) begin
        /* OneImmediate */ assert (!(f_open[t] && f_open[u]) || plain_q[t] || plain_q[u]);
      end
    end
  end
end

// Any one immediate, from the cycle in which it enters: the writes that hold a tag then.
(* anyseq *) logic f_choose;
logic              f_chosen = 1'b0, f_waits = 1'b0, f_takes, f_leaves;
logic [WaitW-1:0]  f_place = '0;
logic [Tags-1:0]   f_before = '0;
assign f_takes  = f_choose && !f_chosen && enter && rst_ni;
assign f_leaves = f_waits && turn && out_q == f_place;
always_ff @(posedge clk_i) begin
  if (f_takes) begin
    f_chosen <= 1'b1;
    f_waits  <= 1'b1;
    f_place  <= in_q;
    f_before <= busy_q & plain_q & ~f_given;
  end else if (f_waits) begin
    f_waits  <= !f_leaves;
    f_before <= f_before & ~f_given;
  end
end
logic [WaitW-1:0] f_offset;
assign f_offset = f_place - out_q;
always_comb begin
  if (f_started && f_waits) begin
    // "It waits until every write that holds a tag in that cycle is complete".
    /* WaitsForWrites */ assert (!f_leaves || f_before == '0);
    /* Place */ assert (f_chosen && (WaitW+1)'(f_offset) < f_count);
    /* Mask */ assert (mask_q[f_place*Tags+:Tags] == f_before);
    /* BeforeIsPlain */ assert ((f_before & ~plain_q) == '0);
  end
end
