// SPDX-License-Identifier: Apache-2.0
// One lane of array A as hardware has it: the steps of fma_pkg once, with registers between them.
//
// Stages 1: all steps in one cycle. 3: multiply; align and add; normalise and round. 5: one step a
// cycle. A result is there Stages cycles after its operands, one can follow in every cycle.
module fma_lane #(
  parameter int unsigned Stages = 1
) (
  input  logic        clk_i,
  input  logic        en_i,   // Takes operands; acc_o stays where no result arrives
  input  logic        add_i,  // Otherwise passes c_i through untouched
  input  logic [31:0] a_i,    // Common form of fp_pkg, as a moving factor
  input  logic [31:0] w_i,    // Common form of fp_pkg
  input  logic [31:0] c_i,    // Addend, binary32
  output logic [31:0] acc_o   // Result, binary32
);
  if (Stages != 1 && Stages != 3 && Stages != 5) begin : gen_bad_stages
    $error("fma_lane: Stages must be 1, 3 or 5");
  end

  localparam bit Each = Stages == 5;
  localparam bit Some = Stages >= 3;

  // What replaces the sum, decided at once: NaN or the addend.
  typedef struct packed {
    logic        replaced;
    logic        nan;
    logic [31:0] c;
  } special_t;
  typedef struct packed {
    special_t    special;
    logic [31:0] prod;
    logic [31:0] prod_exp;
    logic        sign;
  } product_t;
  typedef struct packed {
    special_t    special;
    logic [31:0] greater;
    logic [31:0] kept;
    logic [31:0] lim;
    logic        sign;
    logic        zero;
    logic        opposite;
  } terms_t;
  typedef struct packed {
    special_t    special;
    logic [31:0] mag;
    logic [31:0] lim;
    logic        sign;
  } sum_t;
  typedef struct packed {
    special_t    special;
    logic [31:0] norm;
    logic [31:0] base;
    logic        sign;
  } norm_t;

  product_t product, product_q;
  terms_t   terms, terms_q;
  sum_t     sum, sum_q;
  norm_t    norm, norm_q;
  logic     valid1, valid2, valid3, valid4;

  always_comb begin
    product = '0;
    product.special.nan      = add_i && fma_pkg::lane_nan(a_i, w_i, c_i);
    product.special.replaced = !add_i || product.special.nan;
    product.special.c        = c_i;
    fma_pkg::lane_product(a_i, w_i, product.prod, product.prod_exp);
    product.sign = a_i[31] ^ w_i[31];
  end

  tern_stage #(
    .Width   ($bits(product)),
    .Register(Some)
  ) u_product (
    .clk_i  (clk_i),
    .valid_i(en_i),
    .data_i (product),
    .valid_o(valid1),
    .data_o (product_q)
  );

  logic [31:0] sign, zero;
  always_comb begin
    terms = '0;
    terms.special = product_q.special;
    fma_pkg::lane_align(product_q.prod, product_q.prod_exp, {product_q.sign, 31'd0},
                        product_q.special.c, terms.greater, terms.kept, terms.lim, sign, zero,
                        terms.opposite);
    terms.sign = sign[31];
    terms.zero = zero[31];
  end

  tern_stage #(
    .Width   ($bits(terms)),
    .Register(Each)
  ) u_terms (
    .clk_i  (clk_i),
    .valid_i(valid1),
    .data_i (terms),
    .valid_o(valid2),
    .data_o (terms_q)
  );

  logic [31:0] sum_sign;
  always_comb begin
    sum = '0;
    sum.special = terms_q.special;
    sum.lim     = terms_q.lim;
    fma_pkg::lane_add(terms_q.greater, terms_q.kept, {terms_q.sign, 31'd0},
                      {terms_q.zero, 31'd0}, terms_q.opposite, sum.mag, sum_sign);
    sum.sign = sum_sign[31];
  end

  tern_stage #(
    .Width   ($bits(sum)),
    .Register(Some)
  ) u_sum (
    .clk_i  (clk_i),
    .valid_i(valid2),
    .data_i (sum),
    .valid_o(valid3),
    .data_o (sum_q)
  );

  always_comb begin
    norm = '0;
    norm.special = sum_q.special;
    norm.sign    = sum_q.sign;
    fma_pkg::lane_normalise(sum_q.mag, sum_q.lim, norm.norm, norm.base);
  end

  tern_stage #(
    .Width   ($bits(norm)),
    .Register(Each)
  ) u_norm (
    .clk_i  (clk_i),
    .valid_i(valid3),
    .data_i (norm),
    .valid_o(valid4),
    .data_o (norm_q)
  );

  logic [31:0] acc_q;
  always_ff @(posedge clk_i) begin
    if (valid4) begin
      acc_q <= !norm_q.special.replaced ? fma_pkg::lane_pack(norm_q.norm, norm_q.base,
                                                              {norm_q.sign, 31'd0})
             : norm_q.special.nan ? fp_pkg::Fp32Nan : norm_q.special.c;
    end
  end

  assign acc_o = acc_q;
endmodule
