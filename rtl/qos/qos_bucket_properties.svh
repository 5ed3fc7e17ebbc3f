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

// The part of the bounds (README.md) that one bucket decides, with constant settings. Wide enough
// for windows of 2^30 cycles.
localparam int unsigned FWide = BalanceBits + 20;
logic signed [FWide-1:0] f_wide_rate, f_wide_charge, f_wide_balance;
assign f_wide_rate    = $signed(FWide'(f_rate));
assign f_wide_charge  = $signed(FWide'({charge_i ? bytes_i : '0, {FractionBits{1'b0}}}));
assign f_wide_balance = f_balance;

// Tokens. Next to the bucket, from any cycle on, one without a depth: balance at the start + rate *
// cycles - charges. It never has less; so what is charged is at most depth + rate * cycles + one
// packet (Ceiling, Floor).
(* anyseq *) logic f_open;
logic f_inside = 1'b0;
logic signed [FWide-1:0] f_endless = '0, f_endless_now;
assign f_endless_now = f_inside ? f_endless : f_wide_balance;
logic f_full_up;  // The window ends
assign f_full_up = f_endless[FWide-1:FWide-2] == 2'b01;
always_ff @(posedge clk_i) begin
  f_inside  <= rst_ni && (f_inside ? !f_full_up : f_open);
  f_endless <= f_endless_now - f_wide_charge + f_wide_rate;
end
always_comb begin
  /* NeverLess */ assert (!f_started || !f_constant || !f_inside || f_wide_balance <= f_endless);
end

// Waiting until there is a right. f_saved: the rate, once for each cycle of it.
(* anyseq *) logic   f_waits;
(* anyconst *) logic f_strict;
logic                    f_right;
logic signed [FWide-1:0] f_saved = '0, f_needed, f_wide_packet;
assign f_right       = f_strict ? full_o : in_credit_o;
assign f_needed      = f_strict ? f_limit : $signed(FWidth'(0));
assign f_wide_packet = f_packet_tokens;
always_comb assume (!f_waits || !charge_i);
always_ff @(posedge clk_i) begin
  if (!f_waits || !rst_ni) f_saved <= '0;
  else if (!f_right) f_saved <= f_saved + f_wide_rate;
end
always_comb begin
  if (f_started && f_constant && f_rate != '0) begin
    /* SavedSign */ assert (f_saved >= 0);
    /* Saving */ assert (f_balance >= f_limit || f_wide_balance + f_wide_packet >= f_saved);
    /* PoorBound */ assert (f_saved == '0 || f_saved < f_needed + f_wide_packet + f_wide_rate);
  end
end
