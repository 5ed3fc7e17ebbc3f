// SPDX-License-Identifier: Apache-2.0
// One row of fused multiply-adds with its result register: acc_o <= active_i ? fma(a, w, c) : c in
// every lane, one rounding to nearest even, exactly IEEE 754 binary32 fma (subnormals kept), NaN
// results canonical.
`include "tern_trace.svh"

module fma_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic               clk_i,
  input  logic               en_i,      // take a result this cycle
  input  logic               active_i,  // otherwise pass c through untouched
  input  logic        [31:0] a_i,       // one operand for all lanes, common form of fp_pkg
  `TERN_LANES
  input  logic [Lanes*32-1:0] w_i,       // one operand per lane, common form of fp_pkg
  input  logic [Lanes*32-1:0] c_i,       // addend, binary32
  output logic [Lanes*32-1:0] acc_o      // result, binary32
  `TERN_LANES_END
);
  typedef logic [Lanes*32-1:0] row_t;

  // The loop over the lanes lives inside the task and uses 32-bit words and selects only: this is
  // the form in which the simulator's C++ is vectorised (scripts/check-vectorized holds it to
  // that).
  //
  // Frame of the addition: 26 fraction bits at exponent field e = max(product, addend), at least
  // that of the smallest normal. The smaller term is shifted right, the bits lost are ORed into its
  // last bit ("jam"). The sum is below 8, i.e. below 2^29; normalising moves its leading one to bit
  // 28 but never below the smallest exponent, so subnormal results need no case of their own.
  task automatic row_fma(input logic [31:0] a, input row_t w, input row_t c, output row_t y);
    // verilator no_inline_task
    logic [31:0] a_sig, a_exp, a_invalid;
    logic [31:0] wi, ci, prod, prod_exp, field, c_sig, c_exp, diff, shift, greater, lesser, kept;
    logic [31:0] lim, sum, mag, sign, rounded, packed_abs, res;
    logic        prod_big, opposite, negative, up, nan;
    a_sig = (a & 32'h7FF) << 6;
    a_exp = ((a >> 11) & 32'h3FF) - (2 * fp_pkg::RecExpBias - 32'd127);
    // Bits of w that make the product NaN: a NaN; infinity if a is zero; zero if a is infinite; any
    // if a is NaN.
    a_invalid = (32'd1 << fp_pkg::RecNanBit)
              | (((a >> fp_pkg::RecZeroBit) & 32'd1) << fp_pkg::RecInfBit)
              | (((a >> fp_pkg::RecInfBit) & 32'd1) << fp_pkg::RecZeroBit)
              | (a[fp_pkg::RecNanBit] ? 32'h7000_0400 : 32'd0);
    for (int unsigned i = 0; i < Lanes; i++) begin
      wi = w[i*32+:32];
      ci = c[i*32+:32];
      // Product: 22 bits in [1, 4) with 20 fraction bits, placed in the frame by the 6 of a_sig.
      prod     = a_sig * (wi & 32'h7FF);
      prod_exp = a_exp + ((wi >> 11) & 32'h3FF);
      // Addend. An infinity gets an exponent that no finite product reaches.
      field = (ci >> 23) & 32'hFF;
      c_sig = ((ci & 32'h007F_FFFF) << 3) | ((field != 32'd0) ? 32'h0400_0000 : 32'd0);
      c_exp = (field == 32'd255) ? 32'd600 : (field == 32'd0) ? 32'd1 : field;
      // Align.
      diff     = c_exp - prod_exp;
      prod_big = diff[31];
      shift    = prod_big ? -diff : diff;
      shift    = (shift > 32'd31) ? 32'd31 : shift;
      greater  = prod_big ? prod : c_sig;
      lesser   = prod_big ? c_sig : prod;
      kept     = lesser >> shift[4:0];
      kept     = kept | (((kept << shift[4:0]) != lesser) ? 32'd1 : 32'd0);
      lim      = (prod_big ? prod_exp : c_exp) + 32'd1;
      lim      = (lim > 32'd401) ? 32'd401 : lim;
      // Add.
      sign     = a ^ wi;
      opposite = sign[31] ^ ci[31];
      sum      = opposite ? greater - kept : greater + kept;
      negative = sum[31];
      mag      = negative ? -sum : sum;
      sign     = (prod_big ? sign : ci) ^ (negative ? 32'h8000_0000 : 32'd0);
      sign     = (mag == 32'd0 && opposite) ? 32'd0 : (sign & 32'h8000_0000);
      nan      = ((wi & a_invalid) != 32'd0) || ((ci & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf)
              || (opposite && (field == 32'd255)
                  && (((wi | a) & (32'd1 << fp_pkg::RecInfBit)) != 32'd0));
      res = mag;
      // Normalise; lim counts down to the exponent field minus one.
      up  = (mag < 32'h0000_2000) && (lim >= 32'd16);
      mag = up ? mag << 16 : mag;
      lim = up ? lim - 32'd16 : lim;
      up  = (mag < 32'h0020_0000) && (lim >= 32'd8);
      mag = up ? mag << 8 : mag;
      lim = up ? lim - 32'd8 : lim;
      up  = (mag < 32'h0200_0000) && (lim >= 32'd4);
      mag = up ? mag << 4 : mag;
      lim = up ? lim - 32'd4 : lim;
      up  = (mag < 32'h0800_0000) && (lim >= 32'd2);
      mag = up ? mag << 2 : mag;
      lim = up ? lim - 32'd2 : lim;
      up  = (mag < 32'h1000_0000) && (lim >= 32'd1);
      mag = up ? mag << 1 : mag;
      lim = up ? lim - 32'd1 : lim;
      // Round the 24 upper bits to nearest even; the carry runs into the exponent. Overflow is
      // infinity.
      rounded    = (mag + 32'd15 + ((mag >> 5) & 32'd1)) >> 5;
      packed_abs = (lim << 23) + rounded;
      packed_abs = (packed_abs > fp_pkg::Fp32Inf) ? fp_pkg::Fp32Inf : packed_abs;
      packed_abs = (res == 32'd0) ? 32'd0 : packed_abs;
      y[i*32+:32] = nan ? fp_pkg::Fp32Nan : (sign | packed_abs);
    end
  endtask

  `TERN_LANES
  row_t acc_q;
  row_t result;
  `TERN_LANES_END

  // Evaluated only for rows that work: an idle array costs the simulator nothing.
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (active_i) begin
        row_fma(a_i, w_i, c_i, result);
        acc_q <= result;
      end else begin
        acc_q <= c_i;
      end
    end
  end

  assign acc_o = acc_q;
endmodule
