// SPDX-License-Identifier: Apache-2.0
// Selects one of the requesters, each in one of four traffic classes (README.md). The selection is
// combinational; its effects are visible in the next cycle.
`include "tern_assert.svh"

module qos_arbiter #(
  parameter int unsigned Requesters   = 16,
  parameter int unsigned RateBits     = qos_pkg::RateBits,
  parameter int unsigned DepthBits    = qos_pkg::DepthBits,
  parameter int unsigned FractionBits = qos_pkg::FractionBits,
  parameter int unsigned ChargeBits   = qos_pkg::ChargeBits,
  localparam int unsigned IndexBits   = $clog2(Requesters),
  localparam int unsigned BalanceBits =
      ((DepthBits + 1 > ChargeBits) ? DepthBits + 1 : ChargeBits) + FractionBits + 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  // Settings (registers of the user); may change in any cycle.
  input  logic [1:0]                              policy_i,
  input  logic [qos_pkg::Classes*RateBits-1:0]    rate_i,   // 2^-FractionBits byte per cycle
  input  logic [qos_pkg::Classes*DepthBits-1:0]   depth_i,  // Bytes
  // A decision. The grant depends on neither enable_i nor bytes_i.
  input  logic                                    enable_i, // Decide, and take the grant
  input  logic [Requesters-1:0]                   req_i,
  input  logic [Requesters*2-1:0]                 class_i,
  input  logic [ChargeBits-1:0]                   bytes_i,  // Of the packet of grant_index_o
  output logic                                    grant_valid_o,
  output logic [Requesters-1:0]                   grant_o,
  output logic [IndexBits-1:0]                    grant_index_o,
  output logic [1:0]                              grant_class_o,
  output logic                                    by_right_o,
  // State, for observers.
  output logic [qos_pkg::Classes*BalanceBits-1:0] balance_o,
  output logic                                    settled_o // No bucket changes without a grant
);
  localparam logic [IndexBits-1:0] LastRequester = IndexBits'(Requesters - 1);

  `TERN_ASSERT_INIT(RequestersRange, Requesters >= 2 && Requesters <= 64)
  `TERN_ASSERT_INIT(RateFits, RateBits <= DepthBits + FractionBits)

  logic [qos_pkg::Classes-1:0] waiting, in_credit, full, right, charge, settled;
  logic [Requesters-1:0]       class_low, class_high, candidates, choice;
  logic [qos_pkg::Classes*Requesters-1:0] members;
  logic [IndexBits-1:0]        index;
  logic [1:0]                  class_pick;
  logic                        ranked, by_right;

  logic [1:0]                                class_last_q;
  logic [qos_pkg::Classes*IndexBits-1:0]     last_q;  // Per class
  logic [IndexBits-1:0]                      last;
  logic [1:0]                                order;   // Class whose round-robin position applies

  assign ranked = (policy_i == qos_pkg::PolicyStrict) || (policy_i == qos_pkg::PolicyWeighted);
  assign right  = (policy_i == qos_pkg::PolicyStrict)   ? full :
                  (policy_i == qos_pkg::PolicyWeighted) ? in_credit : '0;

  // Requesters by class.
  always_comb begin
    for (int unsigned i = 0; i < Requesters; i++) begin
      class_low[i]  = class_i[2*i];
      class_high[i] = class_i[2*i+1];
    end
  end
  for (genvar c = 0; c < qos_pkg::Classes; c++) begin : gen_members
    assign members[c*Requesters+:Requesters] =
        req_i & (((c & 1) != 0) ? class_low : ~class_low) &
        (((c & 2) != 0) ? class_high : ~class_high);
    assign waiting[c] = members[c*Requesters+:Requesters] != '0;
  end

  qos_class_pick u_class (
    .waiting_i  (waiting),
    .right_i    (right),
    .last_i     (class_last_q),
    .class_o    (class_pick),
    .by_right_o (by_right)
  );

  assign order      = ranked ? class_pick : 2'd0;
  assign last       = last_q[order*IndexBits+:IndexBits];
  assign candidates = ranked ? members[class_pick*Requesters+:Requesters] : req_i;

  qos_round_robin #(.Requesters(Requesters)) u_requester (
    .req_i   (candidates),
    .last_i  (last),
    .grant_o (choice),
    .index_o (index)
  );

  assign grant_valid_o = enable_i && (req_i != '0);
  assign grant_o       = enable_i ? choice : '0;
  assign grant_index_o = index;
  assign grant_class_o = {(choice & class_high) != '0, (choice & class_low) != '0};
  assign by_right_o    = by_right;

  for (genvar c = 0; c < qos_pkg::Classes; c++) begin : gen_bucket
    assign charge[c] = grant_valid_o && by_right && (class_pick == 2'(c));
    qos_bucket #(
      .RateBits(RateBits), .DepthBits(DepthBits), .FractionBits(FractionBits),
      .ChargeBits(ChargeBits)
    ) u_bucket (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .rate_i      (rate_i[c*RateBits+:RateBits]),
      .depth_i     (depth_i[c*DepthBits+:DepthBits]),
      .charge_i    (charge[c]),
      .bytes_i     (bytes_i),
      .balance_o   (balance_o[c*BalanceBits+:BalanceBits]),
      .in_credit_o (in_credit[c]),
      .full_o      (full[c]),
      .settled_o   (settled[c])
    );
  end
  assign settled_o = &settled;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      class_last_q <= 2'd3;
      last_q       <= {qos_pkg::Classes{LastRequester}};
    end else if (grant_valid_o) begin
      last_q[order*IndexBits+:IndexBits] <= index;
      if (by_right) class_last_q <= class_pick;
    end
  end

  `TERN_ASSERT(OneGrant, $onehot0(grant_o))
  `TERN_ASSERT(GrantAsked, (grant_o & ~req_i) == '0)
  `TERN_ASSERT(GrantWhenAsked, grant_valid_o == (grant_o != '0))

`ifdef FORMAL
  `include "qos_properties.svh"
`endif

`ifdef TERN_COVER_POINTS
`include "qos_cover.svh"
`endif
endmodule
