// SPDX-License-Identifier: Apache-2.0
// Token bucket of one class. A token is 2^-FractionBits byte; a negative balance is a debt.
module qos_bucket #(
  parameter int unsigned RateBits     = qos_pkg::RateBits,
  parameter int unsigned DepthBits    = qos_pkg::DepthBits,
  parameter int unsigned FractionBits = qos_pkg::FractionBits,
  parameter int unsigned ChargeBits   = qos_pkg::ChargeBits,
  localparam int unsigned BalanceBits =
      ((DepthBits + 1 > ChargeBits) ? DepthBits + 1 : ChargeBits) + FractionBits + 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [RateBits-1:0]    rate_i,       // Tokens per cycle; 0: no share
  input  logic [DepthBits-1:0]   depth_i,      // Bytes
  input  logic                   charge_i,     // Only with in_credit_o
  input  logic [ChargeBits-1:0]  bytes_i,
  output logic [BalanceBits-1:0] balance_o,    // Signed
  output logic                   in_credit_o,  // Has a share and no debt
  output logic                   full_o,       // Has a share and a full bucket
  output logic                   settled_o     // Does not change without a charge
);
  logic signed [BalanceBits-1:0] balance_q, balance_d, limit, paid, filled;

  assign limit  = $signed({{(BalanceBits-DepthBits-FractionBits){1'b0}}, depth_i,
                           {FractionBits{1'b0}}});
  assign paid   = charge_i ?
      balance_q - $signed({{(BalanceBits-ChargeBits-FractionBits){1'b0}}, bytes_i,
                           {FractionBits{1'b0}}}) :
      balance_q;
  assign filled    = paid + $signed({{(BalanceBits-RateBits){1'b0}}, rate_i});
  assign balance_d = (filled > limit) ? limit : filled;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) balance_q <= '0;
    else balance_q <= balance_d;
  end

  assign balance_o   = balance_q;
  assign in_credit_o = (rate_i != '0) && !balance_q[BalanceBits-1];
  assign full_o      = (rate_i != '0) && (balance_q >= limit);
  assign settled_o   = (balance_q == limit) || ((rate_i == '0) && (balance_q < limit));

`ifdef FORMAL
`ifdef QOS_BUCKET_ALONE
  `include "qos_bucket_properties.svh"
`endif
`endif
endmodule
