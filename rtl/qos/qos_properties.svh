// SPDX-License-Identifier: Apache-2.0
// Proved properties of qos_arbiter (README.md, "Proofs"): included in the module by formal tools
// only. Counters of the bounds come with invariants that make each step of the proof one cycle.
// Reset is active in the first cycle only.
localparam int unsigned FWidth = BalanceBits + 4;  // Holds every sum below

// QOS_FREE_BUCKETS: the buckets' outputs are arbitrary, except for what qos_bucket_properties.svh
// proves.
`ifdef QOS_FREE_BUCKETS
`define QOS_OF_BUCKET assume
`else
`define QOS_OF_BUCKET assert
`endif

logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

(* anyconst *) logic [ChargeBits-1:0] f_packet;  // The largest packet
logic signed [FWidth-1:0] f_packet_tokens;
assign f_packet_tokens = $signed(FWidth'({f_packet, {FractionBits{1'b0}}}));
always_comb assume (bytes_i <= f_packet);

// --- Any settings, changing in any cycle -------------------------------------------------------
logic [1:0] f_index_class;
assign f_index_class = class_i[2*grant_index_o+:2];
always_comb begin
  /* OneGrant */ assert ((grant_o & (grant_o - 1'b1)) == '0);
  /* GrantAsked */ assert ((grant_o & ~req_i) == '0);
  /* GrantGiven */ assert ((grant_o != '0) == (enable_i && (req_i != '0)));
  /* ValidIsGrant */ assert (grant_valid_o == (grant_o != '0));
  /* IndexIsGrant */ assert (!grant_valid_o || grant_o[grant_index_o]);
  /* ClassIsGrant */ assert (!grant_valid_o || (grant_class_o == f_index_class));
  /* ClassIsPick */ assert (!grant_valid_o || !ranked || (grant_class_o == class_pick));
  // The most urgent class waits only for classes by right.
  /* UrgentFirst */ assert (!grant_valid_o || !ranked || by_right || !waiting[0] ||
                       (grant_class_o == 2'd0));
end

// A bucket is charged only as it requires.
for (genvar c = 0; c < qos_pkg::Classes; c++) begin : gen_charge
  always_comb begin
    /* FullIsCredit */ `QOS_OF_BUCKET (!full[c] || in_credit[c]);
    /* ChargeInCredit */ assert (!charge[c] || (in_credit[c] && right[c] && grant_class_o == c));
  end
end

`undef QOS_OF_BUCKET

`ifndef QOS_FREE_BUCKETS
for (genvar c = 0; c < qos_pkg::Classes; c++) begin : gen_floor
  logic signed [FWidth-1:0] f_balance;
  assign f_balance = FWidth'($signed(balance_o[c*BalanceBits+:BalanceBits]));
  always_comb begin
    if (f_started) begin
      /* Floor */ assert (f_balance >= -f_packet_tokens);
      /* Charge */ assert (!charge[c] || ((f_balance >= 0) && (grant_class_o == c)));
    end
  end
end
`endif

`ifdef QOS_BOUNDS
// --- Constant settings, a decision at least every FGap cycles ----------------------------------
localparam int unsigned FGap = 3;
localparam int unsigned FWindow = 15;  // Longest window of the token count

(* anyconst *) logic [1:0]                             f_policy;
(* anyconst *) logic [qos_pkg::Classes*RateBits-1:0]   f_rate;
(* anyconst *) logic [qos_pkg::Classes*DepthBits-1:0]  f_depth;
always_comb begin
  assume (policy_i == f_policy);
  assume (rate_i == f_rate);
  assume (depth_i == f_depth);
end

logic [1:0] f_gap = '0;  // Cycles since the last decision
always_ff @(posedge clk_i) f_gap <= (enable_i || !rst_ni) ? '0 : f_gap + 1'b1;
always_comb assume (enable_i || (f_gap < FGap - 1));
always_comb assert (f_gap < FGap);

`ifndef QOS_FREE_BUCKETS
// A window of cycles that begins and ends anywhere.
(* anyseq *) logic f_open;
logic f_inside = 1'b0;
logic [3:0] f_cycles = '0;
always_ff @(posedge clk_i) begin
  if (f_open && rst_ni) f_inside <= 1'b1;
  if ((f_inside || (f_open && rst_ni)) && (f_cycles < FWindow)) f_cycles <= f_cycles + 1'b1;
end
always_comb assert (f_inside || (f_cycles == '0));
`endif

for (genvar c = 0; c < qos_pkg::Classes; c++) begin : gen_bounds
`ifndef QOS_FREE_BUCKETS
  logic signed [FWidth-1:0] f_balance, f_limit, f_needed, f_rate_c;
  assign f_balance = FWidth'($signed(balance_o[c*BalanceBits+:BalanceBits]));
  assign f_limit   = $signed(FWidth'({depth_i[c*DepthBits+:DepthBits], {FractionBits{1'b0}}}));
  assign f_rate_c  = $signed(FWidth'(rate_i[c*RateBits+:RateBits]));
  assign f_needed  = (policy_i == qos_pkg::PolicyStrict) ? f_limit : '0;

  // Tokens: what a class is charged in any window is at most depth + rate * cycles + one packet.
  logic signed [FWidth-1:0] f_charged = '0, f_earned = '0;
  always_ff @(posedge clk_i) begin
    if ((f_inside || f_open) && rst_ni && (f_cycles < FWindow)) begin
      f_earned <= f_earned + f_rate_c;
      if (charge[c]) f_charged <= f_charged + $signed(FWidth'({bytes_i, {FractionBits{1'b0}}}));
    end
  end
  always_comb begin
    if (f_started) begin
      /* Ceiling */ assert (f_balance <= f_limit);
      /* Begins */ assert (f_inside || (f_charged == 0));
      /* Earned */ assert ((f_earned >= 0) &&
          (f_earned <= $signed(FWidth'(f_cycles)) * $signed(FWidth'(2**RateBits - 1))));
      /* Saved */ assert ((f_cycles == FWindow) || (f_charged + f_balance <= f_limit + f_earned));
      /* Conserved */ assert (f_charged <= f_limit + f_earned + f_packet_tokens);
    end
  end
`else
  // Rights stay until they are used (CreditStays, FullStays of a bucket).
  logic f_had_credit = 1'b0, f_had_full = 1'b0;
  always_ff @(posedge clk_i) begin
    f_had_credit <= rst_ni && in_credit[c] && !charge[c];
    f_had_full   <= rst_ni && full[c] && !charge[c];
  end
  always_comb assume ((!f_had_credit || in_credit[c]) && (!f_had_full || full[c]));
`endif

  // Waiting of a class with a share: f_poor cycles until it may be served by right, in which it
  // earns f_saved = rate * f_poor. Then f_rich cycles follow, in which f_lost grants go to other
  // classes.
  logic [6:0] f_rich = '0;
  logic [2:0] f_lost = '0;
  logic [1:0] f_distance;
  logic f_shared, f_waits;
  assign f_shared   = ranked && (rate_i[c*RateBits+:RateBits] != '0) && rst_ni;
  assign f_waits    = f_shared && waiting[c] && !(grant_valid_o && (class_pick == c));
  assign f_distance = 2'(c) - class_last_q - 2'd1;
  always_ff @(posedge clk_i) begin
    f_rich <= !f_waits ? '0 : right[c] ? f_rich + 1'b1 : f_rich;
    f_lost <= !f_waits ? '0 : (right[c] && grant_valid_o) ? f_lost + 1'b1 : f_lost;
  end
  always_comb begin
    if (f_started) begin
      /* RightStays */ assert ((f_rich == '0) || right[c]);
      /* LostByRight */ assert ((f_lost == '0) || (f_rich != '0));
      /* ClassOrder */ assert (f_lost + f_distance <= qos_pkg::Classes - 1);
      /* RichSteps */ assert (f_rich <= f_lost * FGap + f_gap);
      /* RichShares */ assert (f_shared || (f_rich == '0));
      // The bound of README.md.
      /* RichBound */ assert (f_rich < qos_pkg::Classes * FGap);
    end
  end

`ifndef QOS_FREE_BUCKETS
  logic [6:0] f_poor = '0, f_wait = '0;
  logic signed [FWidth-1:0] f_saved = '0;
  always_ff @(posedge clk_i) begin
    f_wait <= f_waits ? f_wait + 1'b1 : '0;
    f_poor <= !f_waits ? '0 : right[c] ? f_poor : f_poor + 1'b1;
    f_saved <= !f_waits ? '0 : right[c] ? f_saved : f_saved + f_rate_c;
  end
  always_comb begin
    if (f_started) begin
      /* Shares */ assert (f_shared || (f_wait == '0));
      /* Parts */ assert (f_wait == f_poor + f_rich);
      /* Saving */ assert ((f_balance >= f_limit) || (f_balance >= f_saved - f_packet_tokens));
      /* SavesOne */ assert (f_saved >= $signed(FWidth'(f_poor)));
      // The bound of README.md.
      /* PoorBound */ assert ((f_poor == '0) ||
                              (f_saved < f_needed + f_packet_tokens + f_rate_c));
    end
  end
`endif
end

// Grants of any one requester among those of its class; it keeps its class while it waits.
(* anyconst *) logic [IndexBits-1:0] f_one;
logic                 f_waited = 1'b0;
logic [1:0]           f_class = '0, f_class_now, f_order;
logic [IndexBits:0]   f_lost = '0;
logic [IndexBits-1:0] f_distance;
assign f_class_now = class_i[2*f_one+:2];
assign f_order     = ranked ? f_class : 2'd0;
assign f_distance  = f_one - last_q[f_order*IndexBits+:IndexBits] - 1'b1;
always_ff @(posedge clk_i) begin
  f_waited <= rst_ni && req_i[f_one] && !grant_o[f_one];
  f_class  <= f_class_now;
  if (!rst_ni || !req_i[f_one] || grant_o[f_one]) f_lost <= '0;
  else if (grant_valid_o && (order == (ranked ? f_class_now : 2'd0))) f_lost <= f_lost + 1'b1;
end
always_comb begin
  assume (32'(f_one) < Requesters);
  assume (!f_waited || !req_i[f_one] || (f_class_now == f_class));
  if (f_started) begin
    /* LostWaiting */ assert (f_waited || (f_lost == '0));
    /* RequesterOrder */ assert ((f_lost == '0) || (f_lost + f_distance <= Requesters - 1));
    /* RequesterBound */ assert (f_lost <= Requesters - 1);
  end
end

`endif
