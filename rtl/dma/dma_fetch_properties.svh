// SPDX-License-Identifier: Apache-2.0
// Proved properties of dma_fetch (README.md, "Fetch"): included by formal tools only. Each fetch is
// one request of either list, inside the list and inside a window of 1 KiB; the answers fill the
// slots of its pairs, each once, and the batch is complete with the second of them. Reset is active
// in the first cycle only.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// What dma_rings guarantees (InsideRing, InsideBursts, Eligible). f_size: of the ring served.
(* anyseq *) logic [23:0] f_size;
logic [24:0] f_end;
logic [5:0]  f_tx_at, f_rx_at;
logic [63:0] f_tx_base, f_rx_base;
assign f_end     = {1'b0, index_i} + 25'(pairs_i);
assign f_tx_base = {tx_base_i[64*ring_o+8+:56], 8'd0};
assign f_rx_base = {rx_base_i[64*ring_o+8+:56], 8'd0};
assign f_tx_at   = f_tx_base[9:4] + index_i[5:0];
assign f_rx_at   = f_rx_base[9:4] + index_i[5:0];
always_comb begin
  assume ((eligible_i & busy_q) == '0);
  assume (!fetch_o || (pairs_i >= 7'd1 && pairs_i <= 7'd64 && f_end <= {1'b0, f_size} &&
                       7'(f_tx_at) + pairs_i <= 7'd64 && 7'(f_rx_at) + pairs_i <= 7'd64));
end

// The two requests of a fetch, in successive cycles: pairs index .. index + pairs - 1 of either
// list. A later write of a base does not reach the second one.
logic             f_second = 1'b0;
logic [63:0]      f_second_address = '0, f_tx_address, f_rx_address, f_address;
logic [6:0]       f_second_pairs = '0;
logic [RingW-1:0] f_second_ring = '0;
logic [10:0]      f_window;
assign f_tx_address = f_tx_base + {36'd0, index_i, 4'd0};
assign f_rx_address = f_rx_base + {36'd0, index_i, 4'd0};
assign f_address    = f_second ? f_second_address : f_tx_address;
assign f_window     = {1'b0, request_o.address[9:0]} + request_o.bytes;
always_ff @(posedge clk_i) begin
  f_second         <= fetch_o && rst_ni;
  f_second_address <= f_rx_address;
  f_second_pairs   <= pairs_i;
  f_second_ring    <= ring_o;
end
always_comb begin
  if (f_started) begin
    /* Requests */ assert (request_valid_o == (fetch_o || f_second) && !(fetch_o && f_second));
    /* Address */ assert (!request_valid_o || request_o.address == f_address);
    /* Bytes */ assert (!request_valid_o ||
                        request_o.bytes == {f_second ? f_second_pairs : pairs_i, 4'd0});
    /* Tag */ assert (!request_valid_o || request_o.tag ==
                      6'({f_second ? f_second_ring : ring_o, f_second}));
    /* InsideWindow */ assert (!request_valid_o || (f_window <= 11'd1024 &&
                                                    request_o.bytes != '0));
    // Invariants.
    /* Second */ assert (second_q == f_second);
    /* SecondRequest */ assert (!f_second || (second_request_q.address == f_second_address &&
        second_request_q.bytes == {f_second_pairs, 4'd0} &&
        second_request_q.tag == 6'({f_second_ring, 1'b1})));
  end
end

// The answers of any one ring's fetch. Memory: no answer without a request; beats of different
// answers are not mixed; a good answer has all its beats, and no other one has more than 16.
(* anyconst *) logic [RingW-1:0] f_ring;
logic             f_flight = 1'b0, f_dropped = 1'b0, f_bad = 1'b0;
logic [1:0]       f_out = '0;                  // Answers to come: TX, RX
logic [SlotW-1:0] f_slot = '0;
logic [6:0]       f_pairs = '0;
logic [6:0]       f_tx_done = '0, f_rx_done = '0;  // Descriptors that are in their slots
logic [3:0]       f_beat = '0;                 // Beats of the answer that is arriving
logic [5:0]       f_tag = '0;
logic             f_fetches, f_answers, f_ends, f_fills, f_rx;
logic [6:0]       f_done, f_tx_now, f_rx_now;
logic [5:0]       f_more;                      // Descriptors up to this beat, in fours
assign f_fetches = fetch_o && ring_o == f_ring && rst_ni;
assign f_rx      = answer_i.tag[0];
assign f_answers = answer_i.valid && answer_i.tag[5:1] == 5'(f_ring);
assign f_ends    = f_answers && answer_i.last;
assign f_fills   = beat_o && beat_ring_o == f_ring;
assign f_done    = f_rx ? f_rx_done : f_tx_done;
assign f_tx_now  = f_tx_done + ((f_fills && !beat_rx_o) ? 7'(beat_count_o) : '0);
assign f_rx_now  = f_rx_done + ((f_fills && beat_rx_o) ? 7'(beat_count_o) : '0);
assign f_more    = {2'd0, f_beat} + 6'd1;
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    f_tx_done <= f_tx_now;
    f_rx_done <= f_rx_now;
    if (f_ends) f_out[f_rx] <= 1'b0;
    if (f_ends && answer_i.error != dma_pkg::AnswerGood) f_bad <= 1'b1;
    if (f_ends && !f_out[!f_rx]) f_flight <= 1'b0;
    if (kill_i[f_ring]) f_dropped <= 1'b1;
    if (answer_i.valid) begin
      f_beat <= answer_i.last ? '0 : f_beat + 4'd1;
      f_tag  <= answer_i.tag;
    end
    if (f_fetches) begin
      f_flight  <= 1'b1;
      f_dropped <= kill_i[f_ring];
      f_bad     <= 1'b0;
      f_out     <= 2'b11;
      f_slot    <= slot_i;
      f_pairs   <= pairs_i;
      f_tx_done <= '0;
      f_rx_done <= '0;
    end
  end
end
logic [SlotW-1:0] f_next_slot;
logic [1:0]       f_arrives;  // Answers of which some beats have arrived
assign f_next_slot = f_slot + SlotW'(f_done);
assign f_arrives   = (f_beat != '0 && f_tag[5:1] == 5'(f_ring)) ? (f_tag[0] ? 2'b10 : 2'b01) : '0;
// What the answers so far have filled, of lists that are good.
logic [1:0] f_tx_error, f_rx_error;
logic [6:0] f_part, f_tx_filled, f_rx_filled;
assign f_tx_error  = error_q[{f_ring, 1'b0}];
assign f_rx_error  = error_q[{f_ring, 1'b1}];
assign f_part      = (7'({f_beat, 2'd0}) < f_pairs) ? 7'({f_beat, 2'd0}) : f_pairs;
assign f_tx_filled = !f_out[0] ? f_pairs : f_arrives[0] ? f_part : '0;
assign f_rx_filled = !f_out[1] ? f_pairs : f_arrives[1] ? f_part : '0;
always_comb begin
  assume (!f_answers || f_out[f_rx]);
  assume (!answer_i.valid || f_beat == '0 || answer_i.tag == f_tag);
  assume (!answer_i.valid || f_beat != 4'd15 || answer_i.last);
  assume (!f_answers || answer_i.error != dma_pkg::AnswerGood ||
          answer_i.last == ({f_more, 2'd0} >= 8'(f_pairs)));
  if (f_started) begin
    /* Busy */ assert (busy_o[f_ring] == f_flight);
    // "Both answers are awaited and dropped before the ring fetches again."
    /* Fills */ assert (!f_fills || (f_answers && f_flight && !f_dropped));
    /* SlotInOrder */ assert (!f_fills || (beat_slot_o == f_next_slot && beat_count_o != '0 &&
                                           f_done + 7'(beat_count_o) <= f_pairs));
    /* Batch */ assert ((batch_o && batch_ring_o == f_ring) ==
        (f_ends && !f_out[!f_rx] && !f_dropped && !f_bad &&
         answer_i.error == dma_pkg::AnswerGood));
    /* BatchIsWhole */ assert (!(batch_o && batch_ring_o == f_ring) ||
        (f_tx_now == f_pairs && f_rx_now == f_pairs && batch_pairs_o == f_pairs));
    /* Stop */ assert ((stop_o && RingW'(answer_i.tag[5:1]) == f_ring) ==
        (f_ends && !f_out[!f_rx] && !f_dropped &&
         (f_bad || answer_i.error != dma_pkg::AnswerGood)));
    // Invariants.
    /* Missing */ assert (missing_q[{f_ring, 1'b0}] == f_out[0] &&
                          missing_q[{f_ring, 1'b1}] == f_out[1] && f_flight == (f_out != '0));
    /* Record */ assert (!f_flight || (drop_q[f_ring] == f_dropped && slot_q[f_ring] == f_slot &&
        pairs_q[f_ring] == f_pairs && f_pairs >= 7'd1 && f_pairs <= 7'd64));
    /* Errors */ assert (!f_flight || f_bad ==
        ((!f_out[0] && f_tx_error != dma_pkg::AnswerGood) ||
         (!f_out[1] && f_rx_error != dma_pkg::AnswerGood)));
    /* Arriving */ assert (beat_q == f_beat && (f_arrives & ~f_out) == '0);
    /* Filled */ assert (!f_flight || f_dropped ||
        ((f_tx_done == f_tx_filled || (!f_out[0] && f_tx_error != dma_pkg::AnswerGood)) &&
         (f_rx_done == f_rx_filled || (!f_out[1] && f_rx_error != dma_pkg::AnswerGood))));
  end
end
