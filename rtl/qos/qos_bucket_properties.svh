// SPDX-License-Identifier: Apache-2.0
// Proved properties of a qos_bucket alone, at its full width (README.md, "Proofs"). Settings are
// arbitrary in every cycle, or constant from the first cycle on. Reset is the first cycle.
localparam int unsigned FWidth = BalanceBits + 2;

logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

(* anyconst *) logic                  f_constant;
(* anyconst *) logic [RateBits-1:0]   f_rate;
(* anyconst *) logic [DepthBits-1:0]  f_depth;
(* anyconst *) logic [ChargeBits-1:0] f_packet;  // The largest packet
always_comb begin
  assume (!f_constant || (rate_i == f_rate && depth_i == f_depth));
  assume (!charge_i || in_credit_o);
  assume (bytes_i <= f_packet);
end

logic signed [FWidth-1:0] f_balance, f_packet_tokens, f_limit;
assign f_balance       = FWidth'($signed(balance_o));
assign f_packet_tokens = $signed(FWidth'({f_packet, {FractionBits{1'b0}}}));
assign f_limit         = $signed(FWidth'({f_depth, {FractionBits{1'b0}}}));

// The cycle before.
logic                     f_was = 1'b0, f_had_credit = 1'b0, f_was_full = 1'b0;
logic                     f_was_settled = 1'b0, f_was_charged = 1'b0;
logic signed [FWidth-1:0] f_before = '0;
always_ff @(posedge clk_i) begin
  f_was         <= f_started;
  f_had_credit  <= in_credit_o;
  f_was_full    <= full_o;
  f_was_settled <= settled_o;
  f_was_charged <= charge_i;
  f_before      <= f_balance;
end

always_comb begin
  if (f_started) begin
    /* Floor */ assert (f_balance >= -f_packet_tokens);
    /* FullIsCredit */ assert (!full_o || in_credit_o);
    /* Ceiling */ assert (!f_constant || f_balance <= f_limit);
    // Rights stay until they are used.
    /* CreditStays */ assert (!f_was || !f_constant || f_was_charged || !f_had_credit ||
                              in_credit_o);
    /* FullStays */ assert (!f_was || !f_constant || f_was_charged || !f_was_full || full_o);
    /* Earns */ assert (!f_was || !f_constant || f_was_charged || f_balance == f_limit ||
                        f_balance == f_before + $signed(FWidth'(f_rate)));
    /* Settled */ assert (!f_was || !f_constant || f_was_charged || !f_was_settled ||
                          f_balance == f_before);
  end
end
