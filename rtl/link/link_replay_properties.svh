// SPDX-License-Identifier: Apache-2.0
// Proved of sender and receiver together (README.md, "Proofs"): included in link_replay by formal
// tools only. Between them are wires with a delay, on which any slot may be bad. The data of a flit
// are its absolute number: what is accepted must be 1, 2, 3, ... Reset is the first cycle.
localparam int unsigned FStages  = 2;            // Of each wire
localparam int unsigned FAbsBits = 2 * SeqBits;  // 2^(2n) - 1 is a multiple of 2^n - 1
typedef logic [FAbsBits-1:0] f_abs_t;

function automatic f_abs_t f_after(input f_abs_t a);
  f_after = (&a) ? f_abs_t'(1) : a + 1'b1;
endfunction
function automatic f_abs_t f_distance(input f_abs_t from, input f_abs_t to);
  f_distance = to - from - f_abs_t'(to < from);
endfunction
function automatic f_abs_t f_plus(input f_abs_t a, input count_t n);
  logic [FAbsBits:0] sum;
  sum    = {1'b0, a} + (FAbsBits + 1)'(n);
  f_plus = f_abs_t'(sum[FAbsBits] ? sum + 1'b1 : sum);
endfunction
// The sequence number of an absolute one.
function automatic number_t f_number(input f_abs_t a);
  logic [SeqBits:0] sum;
  sum      = {1'b0, a[FAbsBits-1:SeqBits]} + {1'b0, a[SeqBits-1:0]};
  f_number = number_t'((sum > {1'b0, {SeqBits{1'b1}}}) ? sum + 1'b1 : sum);
endfunction

logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb begin
  assume (rst_ni == f_started);
  assume (!restart_i || !slot_i);
end

// --- Sender: absolute numbers of acked_q, of the newest flit, of the last one on the wire.
f_abs_t f_acked = '1, f_wire = '1, f_newest, f_position, f_sends;
assign f_newest   = f_plus(f_acked, count_q);
assign f_position = f_plus(f_acked, sent_q);
assign f_sends    = !slot_i ? f_wire : payload_o ? data_o : explicit_o ? f_position : f_wire;
always_comb assume (new_data_i == f_after(f_newest));
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    f_acked <= f_plus(f_acked, gone);
    f_wire  <= f_sends;
  end
end

// --- The wire to the receiver, stage 0 first. Empty stages have what the one before has.
logic    f_valid    [FStages];
logic    f_payload  [FStages];
logic    f_explicit [FStages];
logic    f_prior    [FStages];
logic    f_moves    [FStages];  // Payload, or with a number
number_t f_num      [FStages];
f_abs_t  f_from     [FStages];  // The last number on the wire, before and with this slot
f_abs_t  f_to       [FStages];
logic    f_slot;
assign f_slot = slot_i && rst_ni;
for (genvar s = 0; s < FStages; s++) begin : gen_f_wire
  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      f_valid[s] <= 1'b0;
      f_moves[s] <= rst_ni && prior_q;
      f_prior[s] <= rst_ni && prior_q;
      f_from[s]  <= rst_ni ? f_wire : '1;
      f_to[s]    <= rst_ni ? f_wire : '1;
    end else if (s == 0) begin
      f_valid[s]    <= f_slot;
      f_payload[s]  <= payload_o;
      f_explicit[s] <= explicit_o;
      f_prior[s]    <= prior_o;
      f_moves[s]    <= slot_i ? payload_o || explicit_o : prior_o;
      f_num[s]      <= number_o;
      f_from[s]     <= f_wire;
      f_to[s]       <= f_sends;
    end else begin
      f_valid[s]    <= f_valid[s-1];
      f_payload[s]  <= f_payload[s-1];
      f_explicit[s] <= f_explicit[s-1];
      f_prior[s]    <= f_prior[s-1];
      f_moves[s]    <= f_moves[s-1];
      f_num[s]      <= f_num[s-1];
      f_from[s]     <= f_from[s-1];
      f_to[s]       <= f_to[s-1];
    end
  end
end

// --- The receiver. The contents of a bad slot are arbitrary.
(* anyseq *) logic    f_good, f_any_payload, f_any_prior, f_any_explicit;
(* anyseq *) number_t f_any_num;
logic    f_arrives, f_accept, f_nak;
logic [1:0] f_state;
number_t f_last_num, f_current, f_lead;
f_abs_t  f_last = '1;
logic    f_left_moves = 1'b0;  // Of the last slot that arrived
assign f_arrives = f_valid[FStages-1] && !restart_i;

link_sequence #(.SeqBits(SeqBits), .MaxBad(2)) f_receiver (
  .clk_i,
  .rst_ni,
  .restart_i,
  .slot_i      (f_arrives),
  .good_i      (f_good),
  .payload_i   (f_good ? f_payload[FStages-1] : f_any_payload),
  .prior_i     (f_good ? f_prior[FStages-1] : f_any_prior),
  .explicit_i  (f_good ? f_explicit[FStages-1] : f_any_explicit),
  .number_i    (f_good ? f_num[FStages-1] : f_any_num),
  .accept_o    (f_accept),
  .duplicate_o (),
  .recovery_o  (),
  .last_o      (f_last_num),
  .nak_o       (f_nak),
  .f_state_o   (f_state),
  .f_current_o (f_current)
);
assign f_lead = distance(f_last_num, f_current);
always_ff @(posedge clk_i) begin
  if (rst_ni && f_accept) f_last <= f_after(f_last);
  f_left_moves <= !rst_ni ? 1'b0 : restart_i ? prior_q : f_moves[FStages-1];
end

// --- The wire back: some slots say their number instead, some are bad.
(* anyseq *) logic f_back_slot, f_back_lost;
logic    f_back_valid [FStages];
logic    f_back_nak   [FStages];
number_t f_back_num   [FStages];
f_abs_t  f_back_abs   [FStages];
for (genvar s = 0; s < FStages; s++) begin : gen_f_back
  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart_i) begin
      f_back_valid[s] <= 1'b0;
    end else begin
      f_back_valid[s] <= (s == 0) ? f_back_slot : f_back_valid[(s == 0) ? 0 : s-1];
    end
    f_back_nak[s] <= (s == 0) ? f_nak : f_back_nak[(s == 0) ? 0 : s-1];
    f_back_num[s] <= (s == 0) ? f_last_num : f_back_num[(s == 0) ? 0 : s-1];
    f_back_abs[s] <= (s == 0) ? f_last : f_back_abs[(s == 0) ? 0 : s-1];
  end
end
always_comb begin
  assume (ack_i == (f_back_valid[FStages-1] && !f_back_lost && !restart_i && rst_ni));
  assume (nak_i == f_back_nak[FStages-1]);
  assume (ack_number_i == f_back_num[FStages-1]);
end

// --- Proved: all flits are accepted, once, in order; no acknowledgement is illegal; the receiver
// knows what is missing.
always_comb begin
  if (f_started) begin
    /* InOrder */ assert (!f_accept || f_to[FStages-1] == f_after(f_last));
    /* NoError */ assert (!protocol_error_o);
  end
end
logic f_in_flight;
always_comb begin
  f_in_flight = 1'b0;
  for (int unsigned s = 0; s < FStages; s++) f_in_flight = f_in_flight || f_valid[s];
  if (f_started) begin
    /* NothingMissing */ assert (f_in_flight || f_state != 2'd2 || f_nak || explicit_q ||
                                 sent_q != count_q || f_last == f_newest);
  end
end

// --- Invariants. Distances are from a number to the newest one.
always_comb begin
  if (f_started) begin
    /* Counts */ assert (sent_q <= count_q && count_q <= count_t'(Depth));
    /* Acked */ assert (f_acked != '0 && acked_q == f_number(f_acked));
    /* Position */ assert (position_q == f_number(f_position));
    /* Wire */ assert (f_wire != '0 && (explicit_q || f_wire == f_position));
    /* Last */ assert (f_last != '0 && f_last_num == f_number(f_last));
    /* LastKept */ assert (f_distance(f_last, f_newest) <= f_abs_t'(count_q));
    /* Legal */ assert (f_state != 2'd3);
    /* Current */ assert (f_state != 2'd2 || f_current == f_number(f_from[FStages-1]));
    /* Doubtful */ assert (f_state != 2'd1 || f_left_moves ||
                           f_current == f_number(f_from[FStages-1]));
    /* Lead */ assert (f_state != 2'd2 || f_nak == (f_lead != '0 && !f_lead[SeqBits-1]));
    /* PriorLeft */ assert (f_prior[FStages-1] == f_left_moves);
    /* MovesTo */ assert (f_moves[0] == prior_q);
    /* WireTo */ assert (f_to[0] == f_wire);
  end
end
for (genvar i = 0; i < Depth; i++) begin : gen_f_memory
  logic [IndexBits-1:0] f_index;
  assign f_index = first_q + IndexBits'(i);
  always_comb begin
    if (f_started) begin
      /* Kept */ assert (count_t'(i) >= count_q ||
                         words[f_index*DataBits+:DataBits] == f_plus(f_acked, count_t'(i + 1)));
    end
  end
end
for (genvar s = 0; s < FStages; s++) begin : gen_f_slots
  always_comb begin
    if (f_started) begin
      /* Ends */ assert (f_from[s] != '0 && f_to[s] != '0);
      /* Bubble */ assert (f_valid[s] || (f_to[s] == f_from[s] && f_moves[s] == f_prior[s]));
      if (f_valid[s]) begin
        /* Moves */ assert (f_moves[s] == (f_payload[s] || f_explicit[s]));
        /* Says */ assert (!f_explicit[s] || f_num[s] == f_number(f_to[s]));
        /* Counted */ assert (f_explicit[s] || !f_payload[s] || f_to[s] == f_after(f_from[s]));
        /* Stays */ assert (f_moves[s] || f_to[s] == f_from[s]);
        /* Window */ assert (!f_payload[s] || f_distance(f_to[s], f_newest) <
                             f_distance(f_last, f_newest) + f_abs_t'(Depth));
      end
      if (s > 0) begin
        /* Chain */ assert (f_from[(s == 0) ? 0 : s-1] == f_to[s]);
        /* PriorChain */ assert (f_prior[(s == 0) ? 0 : s-1] == f_moves[s]);
      end
      // An acknowledgement is of a kept flit, or of the last one acknowledged.
      if (f_back_valid[s]) begin
        /* AckNumber */ assert (f_back_abs[s] != '0 && f_back_num[s] == f_number(f_back_abs[s]));
        /* AckKept */ assert (f_distance(f_back_abs[s], f_newest) <= f_abs_t'(count_q) &&
                              f_distance(f_back_abs[s], f_newest) >= f_distance(f_last, f_newest));
      end
    end
  end
  for (genvar t = 0; t < s; t++) begin : gen_f_pairs  // Stage t is the newer one
    always_comb begin
      if (f_started) begin
        /* Pair */ assert (!f_valid[s] || !f_payload[s] || !f_valid[t] || !f_payload[t] ||
                           f_distance(f_to[t], f_newest) <
                           f_distance(f_to[s], f_newest) + f_abs_t'(Depth));
        /* AckOrder */ assert (!f_back_valid[s] || !f_back_valid[t] ||
                               f_distance(f_back_abs[t], f_newest) <=
                               f_distance(f_back_abs[s], f_newest));
      end
    end
  end
end
