// SPDX-License-Identifier: Apache-2.0
// Replay buffer and sequence numbers of the sender (README.md, "Sender"). In a slot the flit to be
// sent is one to repeat, a new one, or none.
`include "tern_assert.svh"

module link_replay #(
  parameter int unsigned Depth      = link_pkg::ReplayDepth,
  parameter int unsigned DataBits   = link_pkg::TlpBits,
  parameter int unsigned SeqBits    = link_pkg::SeqBits,
  parameter int unsigned RoundTrip  = link_pkg::RoundTrip,
  parameter int unsigned MaxReplays = link_pkg::MaxReplays,
  localparam int unsigned IndexBits = $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                restart_i,   // Level: the link does not run, and begins anew
  // A new flit.
  input  logic                new_valid_i,
  input  logic [DataBits-1:0] new_data_i,
  output logic                new_take_o,
  // The flit of a slot.
  input  logic                slot_i,
  output logic                payload_o,
  output logic [DataBits-1:0] data_o,
  output logic                explicit_o,  // It has to say its number
  output logic [SeqBits-1:0]  number_o,    // Its own, or of the payload flit before
  output logic                prior_o,     // The flit before was payload or said a number
  // From the flits received.
  input  logic                ack_i,
  input  logic                nak_i,       // With ack_i
  input  logic [SeqBits-1:0]  ack_number_i,
  // Events.
  output logic                replay_o,
  output logic                recovery_o,
  output logic                protocol_error_o  // Acknowledged what was not sent
);
  localparam int unsigned TimerBits = $clog2(RoundTrip + 1);
  localparam int unsigned TriesBits = $clog2(MaxReplays + 1);

  typedef logic [SeqBits-1:0] number_t;
  typedef logic [IndexBits:0] count_t;

  // Numbers are 1 to 2^SeqBits - 1, in rotation.
  function automatic number_t after(input number_t number);
    after = (&number) ? number_t'(1) : number + 1'b1;
  endfunction
  function automatic number_t distance(input number_t from, input number_t to);
    distance = to - from - number_t'(to < from);
  endfunction

  logic [IndexBits-1:0] first_q;           // Where the oldest one is
  count_t               count_q, sent_q;   // In the buffer; of them sent since the last restart
  number_t              acked_q;           // Before the oldest
  number_t              position_q;        // The last one sent
  logic                 explicit_q, prior_q;
  number_t              honoured_q;        // The last nak followed
  logic [TimerBits-1:0] timer_q;
  logic [TriesBits-1:0] tries_q;

  // --- The flit of this slot.
  logic repeats, fresh;
  logic [IndexBits-1:0] send_index, new_index;
  assign repeats    = sent_q != count_q;
  assign fresh      = !repeats && new_valid_i && count_q != count_t'(Depth);
  assign send_index = first_q + sent_q[IndexBits-1:0];
  assign new_index  = first_q + count_q[IndexBits-1:0];
  assign payload_o  = repeats || fresh;
  assign new_take_o = slot_i && fresh;
  assign explicit_o = explicit_q;
  assign prior_o    = prior_q;
  assign number_o   = payload_o ? after(position_q) : position_q;

  logic [DataBits-1:0] repeated;
`ifdef FORMAL
  logic [Depth*DataBits-1:0] words;
`endif
  tern_regfile #(.Width(DataBits), .Depth(Depth)) u_words (
    .clk_i          (clk_i),
    .write_i        (new_take_o),
    .write_address_i(new_index),
    .write_data_i   (new_data_i),
    .read_i         (repeats),
    .read_address_i (send_index),
    .read_data_o    (repeated)
`ifdef FORMAL
    , .words_o      (words)
`endif
  );
  assign data_o = repeats ? repeated : new_data_i;

  // --- Acknowledgements act after the slot.
  count_t  count_slot, sent_slot, count_d, sent_d, gone;
  number_t ahead;
  logic    legal, honour, jump, progress;
  assign count_slot = count_q + count_t'(new_take_o);
  assign sent_slot  = sent_q + count_t'(slot_i && payload_o);
  assign ahead      = distance(acked_q, ack_number_i);
  assign legal      = ack_i && ack_number_i != '0 && 32'(ahead) <= 32'(count_q);
  // Something was acknowledged, or there is nothing to acknowledge.
  assign progress   = gone != '0 || count_q == '0;
  assign gone       = legal ? count_t'(ahead) : '0;
  assign honour     = legal && nak_i && (ack_number_i != honoured_q || timer_q == '0);
  // The next one to be sent is not the one after the last one sent.
  assign jump       = restart_i || honour || gone > sent_slot;
  assign count_d    = count_slot - gone;
  assign sent_d     = jump ? '0 : sent_slot - gone;
  assign replay_o         = honour;
  assign protocol_error_o = ack_i && !legal;
  assign recovery_o       = honour && !progress && tries_q == TriesBits'(MaxReplays - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q    <= '0;
      count_q    <= '0;
      sent_q     <= '0;
      acked_q    <= '1;
      position_q <= '1;
      explicit_q <= 1'b1;
      prior_q    <= 1'b0;
      honoured_q <= '0;
      timer_q    <= '0;
      tries_q    <= '0;
    end else begin
      first_q <= first_q + gone[IndexBits-1:0];
      count_q <= count_d;
      sent_q  <= sent_d;
      if (legal) acked_q <= ack_number_i;
      if (jump) position_q <= legal ? ack_number_i : acked_q;
      else if (slot_i) position_q <= number_o;
      if (slot_i) prior_q <= payload_o || explicit_q;
      if (jump) explicit_q <= 1'b1;
      else if (slot_i) explicit_q <= 1'b0;
      if (honour) honoured_q <= ack_number_i;
      if (honour) timer_q <= TimerBits'(RoundTrip);
      else if (slot_i && timer_q != '0) timer_q <= timer_q - 1'b1;
      if (progress || recovery_o) tries_q <= '0;
      else if (honour) tries_q <= tries_q + 1'b1;
    end
  end

  `TERN_ASSERT_INIT(DepthRange, Depth == (1 << IndexBits) && Depth > 1 &&
                    Depth < (1 << (SeqBits - 1)))
  `TERN_ASSERT_INIT(RoundTripRange, RoundTrip >= 1 && MaxReplays >= 1)
  `TERN_ASSERT(SentIsThere, sent_q <= count_q && count_q <= count_t'(Depth))
  `TERN_ASSERT(NoSlotWhileDown, !restart_i || !slot_i)

`ifdef FORMAL
`include "link_replay_properties.svh"
`endif
`ifdef TERN_COVER_POINTS
`include "link_replay_cover.svh"
`endif
endmodule
