// SPDX-License-Identifier: Apache-2.0
// Sequence numbers of the receiver (README.md, "Receiver"): which payload flit is the next one,
// and whether one is missing.
`include "tern_assert.svh"

module link_sequence #(
  parameter int unsigned SeqBits = link_pkg::SeqBits,
  parameter int unsigned MaxBad  = link_pkg::MaxBad
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               restart_i,  // Level: the link does not run, and begins anew
  // A slot received.
  input  logic               slot_i,
  input  logic               good_i,
  input  logic               payload_i,
  input  logic               prior_i,    // The flit before was payload or said a number
  input  logic               explicit_i,
  input  logic [SeqBits-1:0] number_i,   // If explicit: its own, or of the payload flit before
  output logic               accept_o,   // It is the next payload flit
  output logic               duplicate_o,
  output logic               recovery_o,
  // For the flits sent.
  output logic [SeqBits-1:0] last_o,     // The last one accepted
  output logic               nak_o       // The next one is missing
`ifdef FORMAL
  ,
  output logic [1:0]         f_state_o,
  output logic [SeqBits-1:0] f_current_o
`endif
);
  localparam int unsigned BadBits = $clog2(MaxBad + 1);

  typedef logic [SeqBits-1:0] number_t;

  function automatic number_t after(input number_t number);
    after = (&number) ? number_t'(1) : number + 1'b1;
  endfunction
  function automatic number_t distance(input number_t from, input number_t to);
    distance = to - from - number_t'(to < from);
  endfunction

  // Whether current_q is the number of the last payload flit that was sent.
  typedef enum logic [1:0] {
    Unknown,
    Doubtful,  // Unless the last slot, which was bad, changed it
    Known
  } state_e;

  state_e              state_d, state_q;
  number_t             current_d, current_q, last_d, last_q;
  logic                nak_d, nak_q;
  logic [BadBits-1:0]  bad_q;
  logic                known;
  number_t             lead;  // Of the current one over the last one accepted

  assign known = good_i && (explicit_i || state_q == Known || (state_q == Doubtful && !prior_i));
  always_comb begin
    current_d = current_q;
    if (explicit_i) current_d = number_i;
    else if (payload_i) current_d = after(current_q);
  end
  assign accept_o    = slot_i && known && payload_i && current_d == after(last_q);
  assign duplicate_o = slot_i && known && payload_i && !accept_o && !nak_d;
  assign last_d      = accept_o ? current_d : last_q;
  assign lead        = distance(last_d, current_d);

  always_comb begin
    if (known) begin
      state_d = Known;
      nak_d   = lead != '0 && !lead[SeqBits-1];
    end else if (!good_i && state_q == Known) begin
      state_d = Doubtful;
      nak_d   = nak_q;
    end else begin
      state_d = Unknown;
      nak_d   = 1'b1;
    end
  end

  assign last_o     = last_q;
  assign nak_o      = nak_q;
  assign recovery_o = slot_i && !good_i && bad_q == BadBits'(MaxBad - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Unknown;
      current_q <= '1;
      last_q    <= '1;
      nak_q     <= 1'b0;
      bad_q     <= '0;
    end else if (restart_i) begin
      state_q <= Unknown;
      nak_q   <= 1'b0;
      bad_q   <= '0;
    end else if (slot_i) begin
      state_q <= state_d;
      if (known) current_q <= current_d;
      last_q  <= last_d;
      nak_q   <= nak_d;
      bad_q   <= (good_i || recovery_o) ? '0 : bad_q + 1'b1;
    end
  end

  `TERN_ASSERT(NoSlotWhileDown, !restart_i || !slot_i)

`ifdef FORMAL
  assign f_state_o   = state_q;
  assign f_current_o = current_q;
`endif
`ifdef TERN_COVER_POINTS
`include "link_sequence_cover.svh"
`endif
endmodule
