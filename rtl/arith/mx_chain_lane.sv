// SPDX-License-Identifier: Apache-2.0
// One lane of a chain of blocks as hardware has it: the steps of mx_lane_pkg and of the addition
// once, with registers between them.
//
// Stages 1: all steps in one cycle. 3: exact sum; normalise, scale and round; add. 5: exact sum;
// normalise; scale and round; add; round. A result is there Stages cycles after its operands, one
// can follow in every cycle.
module mx_chain_lane #(
  parameter int unsigned Stages = 1
) (
  input  logic         clk_i,
  input  logic         en_i,      // Takes operands; acc_o stays where no result arrives
  input  logic         active_i,  // Otherwise passes acc_i through untouched
  input  logic [7:0]   scale_i,   // Of the moving operand
  input  logic [7:0]   column_i,  // Of the stationary operand
  input  logic [2:0]   flag_i,    // mx_pkg::Flag*
  input  logic [511:0] terms_i,   // Four exact sums (mx_dot_row): word k of sum n at 128n + 32k
  input  logic [31:0]  acc_i,
  output logic [31:0]  acc_o
);
  if (Stages != 1 && Stages != 3 && Stages != 5) begin : gen_bad_stages
    $error("mx_chain_lane: Stages must be 1, 3 or 5");
  end

  localparam bit Each = Stages == 5;
  localparam bit Some = Stages >= 3;

  // What a step does not change.
  typedef struct packed {
    logic        active;
    logic [7:0]  scale;
    logic [7:0]  column;
    logic [2:0]  flag;
    logic        sign;
    logic [31:0] acc;
  } rest_t;
  typedef struct packed {
    rest_t       rest;
    logic [31:0] low;
    logic [31:0] mid;
    logic [31:0] high;
  } exact_t;
  typedef struct packed {
    rest_t       rest;
    logic [31:0] norm;
    logic [31:0] place;
  } norm_t;
  typedef struct packed {
    logic        active;
    logic [31:0] acc;
    logic [31:0] t;
  } addends_t;
  typedef struct packed {
    logic        active;
    logic [31:0] acc;
    logic [31:0] sum;
    logic [31:0] lim;
    logic        sign;
    logic        nan;
    logic        inf;
  } sum_t;

  exact_t   exact, exact_q;
  norm_t    norm, norm_q;
  addends_t addends, addends_q;
  sum_t     sum, sum_q;
  logic     valid1, valid2, valid3, valid4;

  logic [127:0] words;
  logic [31:0]  exact_sign;
  always_comb begin
    // Word by word, no carries.
    for (int unsigned k = 0; k < 4; k++) begin
      words[k*32+:32] = terms_i[k*32+:32] + terms_i[128+k*32+:32] + terms_i[256+k*32+:32]
                      + terms_i[384+k*32+:32];
    end
    exact = '0;
    mx_lane_pkg::lane_magnitude(words[31:0], words[63:32], words[95:64], words[127:96],
                                exact.low, exact.mid, exact.high, exact_sign);
    exact.rest = {active_i, scale_i, column_i, flag_i, exact_sign[31], acc_i};
  end

  tern_stage #(
    .Width   ($bits(exact)),
    .Register(Some)
  ) u_exact (
    .clk_i  (clk_i),
    .valid_i(en_i),
    .data_i (exact),
    .valid_o(valid1),
    .data_o (exact_q)
  );

  always_comb begin
    norm = '0;
    norm.rest = exact_q.rest;
    mx_lane_pkg::lane_normalise(exact_q.low, exact_q.mid, exact_q.high, norm.norm, norm.place);
  end

  tern_stage #(
    .Width   ($bits(norm)),
    .Register(Each)
  ) u_norm (
    .clk_i  (clk_i),
    .valid_i(valid1),
    .data_i (norm),
    .valid_o(valid2),
    .data_o (norm_q)
  );

  always_comb begin
    addends.active = norm_q.rest.active;
    addends.acc    = norm_q.rest.acc;
    addends.t      = mx_lane_pkg::lane_round(norm_q.norm, norm_q.place, {norm_q.rest.sign, 31'd0},
                                             {29'd0, norm_q.rest.flag},
                                             {24'd0, norm_q.rest.column},
                                             {24'd0, norm_q.rest.scale});
  end

  tern_stage #(
    .Width   ($bits(addends)),
    .Register(Some)
  ) u_addends (
    .clk_i  (clk_i),
    .valid_i(valid2),
    .data_i (addends),
    .valid_o(valid3),
    .data_o (addends_q)
  );

  logic [31:0] sum_sign;
  always_comb begin
    sum = '0;
    sum.active = addends_q.active;
    sum.acc    = addends_q.acc;
    fp_pkg::add_terms(addends_q.acc, addends_q.t, sum.sum, sum.lim, sum_sign, sum.nan, sum.inf);
    sum.sign = sum_sign[31];
  end

  tern_stage #(
    .Width   ($bits(sum)),
    .Register(Each)
  ) u_sum (
    .clk_i  (clk_i),
    .valid_i(valid3),
    .data_i (sum),
    .valid_o(valid4),
    .data_o (sum_q)
  );

  logic [31:0] acc_q;
  always_ff @(posedge clk_i) begin
    if (valid4) begin
      acc_q <= sum_q.active ? fp_pkg::add_round(sum_q.sum, sum_q.lim, {sum_q.sign, 31'd0},
                                                sum_q.nan, sum_q.inf)
                            : sum_q.acc;
    end
  end

  assign acc_o = acc_q;
endmodule
