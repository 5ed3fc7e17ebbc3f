// SPDX-License-Identifier: Apache-2.0
// One cell of the array: acc_o = fma(a_i, weight, c_i) two cycles later, with the arithmetic of
// array A (rtl/arith/fma_pkg). The first cycle aligns and adds, the second normalises and rounds.
module fpga_pe #(
  parameter bit Adds = 1'b0  // Can add two binary32 numbers, too: round(b_i + c_i)
) (
  input  logic        clk_i,
  input  logic        load_i,  // Takes a_i as its weight
  input  logic [31:0] w_i,     // Common form of fp_pkg, as a weight
  input  logic [31:0] a_i,     // As a moving factor
  input  logic [31:0] c_i,     // Binary32
  input  logic        add_i,
  input  logic [31:0] b_i,     // Binary32
  output logic [31:0] acc_o
);
  logic [31:0] w_q;
  logic [31:0] prod, prod_exp, prod_sign, b_sig, b_exp;
  logic [31:0] greater, kept, lim, sign, zero, mag, sum_sign;
  logic        opposite, nan;
  logic [31:0] mag_q, lim_q, sign_q;
  logic        nan_q;

  always_comb begin
    fma_pkg::lane_product(a_i, w_q, prod, prod_exp);
    prod_sign = a_i ^ w_q;
    nan       = fma_pkg::lane_nan(a_i, w_q, c_i);
    b_sig     = '0;
    b_exp     = '0;
    if (Adds) begin
      // The frame of the product holds any binary32 number.
      fma_pkg::lane_term(b_i, b_sig, b_exp);
      if (add_i) begin
        prod      = b_sig;
        prod_exp  = b_exp;
        prod_sign = b_i;
        nan       = b_i[30:0] > fp_pkg::Fp32Inf[30:0] || c_i[30:0] > fp_pkg::Fp32Inf[30:0]
                 || ((b_i ^ c_i) == 32'h8000_0000 && b_i[30:23] == 8'hFF);
      end
    end
    fma_pkg::lane_align(prod, prod_exp, prod_sign, c_i, greater, kept, lim, sign, zero, opposite);
    fma_pkg::lane_add(greater, kept, sign, zero, opposite, mag, sum_sign);
  end

  always_ff @(posedge clk_i) begin
    if (load_i) w_q <= w_i;
    mag_q  <= mag;
    lim_q  <= lim;
    sign_q <= sum_sign;
    nan_q  <= nan;
    acc_o  <= nan_q ? fp_pkg::Fp32Nan : fma_pkg::lane_round(mag_q, lim_q, sign_q);
  end
endmodule
