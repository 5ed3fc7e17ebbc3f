// SPDX-License-Identifier: Apache-2.0
// The exponential of one element at a time, with the arithmetic of rtl/exp and one multiplier that
// four steps use in turn. The difference that the unit of rtl/exp makes is made before.
module fpga_exp (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,  // x_i is there in this cycle
  input  logic [31:0] x_i,      // Binary32
  output logic        done_o,   // One cycle
  output logic [31:0] y_o
);
  // What has happened before a cycle, in their order.
  typedef enum logic [3:0] {
    Rest, Unpacked, Aligned, Logarithm, Scaled, Looked, Upper, Lower, Slope, Square, Value, Done
  } step_e;
  step_e       step_q;
  logic [31:0] sum, exponent, sign, sum_q, exponent_q, sign_q, d, drop, d_q, drop_q;
  logic        nan, nan_q;
  logic [31:0] fraction, place, fraction_q, place_q, upper_q, s_q, y_q;
  logic [63:0] table_q;
  logic [56:0] product, product_q;
  logic [24:0] factor_a;
  logic [31:0] factor_b, curvature;

  // As exp_lane_pkg::difference, of a difference that is a binary32 number already.
  function automatic void unpack(input  logic [31:0] x,
                                 output logic [31:0] to_sum, output logic [31:0] to_exponent,
                                 output logic [31:0] to_sign, output logic to_nan);
    to_sum      = ((x << 4) & 32'h07FF_FFF0) | 32'h0800_0000;
    to_exponent = ((x >> 23) & 32'hFF) + 32'd123;
    to_sign     = {31'd0, ~x[31]};
    to_nan      = (x & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf;
  endfunction

  // The table as a memory: synthesis makes a block RAM of it.
  (* rom_style = "block" *) logic [63:0] rom [64];
  initial begin
    for (int unsigned i = 0; i < 64; i++) begin
      rom[i] = {exp_table_pkg::High[i*32+:32], exp_table_pkg::Low[i*32+:32]};
    end
  end

  always_comb begin
    unpack(x_i, sum, exponent, sign, nan);
    exp_lane_pkg::align(sum_q, exponent_q, sign_q, nan_q, d, drop);
    exp_lane_pkg::scale(d_q, drop_q, {product_q, 7'd0}, fraction, place);
    curvature = exp_lane_pkg::curvature(table_q[31:0], table_q[63:32]);
    unique case (step_q)
      Aligned: begin
        factor_a = d_q[24:0];
        factor_b = exp_table_pkg::Log2e[31:0];
      end
      Looked: begin
        factor_a = {12'd0, curvature[12:0]};
        factor_b = {21'd0, fraction_q[21:11]};
      end
      Upper: begin
        factor_a = {12'd0, curvature[12:0]};
        factor_b = {21'd0, fraction_q[10:0]};
      end
      default: begin
        factor_a = {1'b0, s_q[23:0]};
        factor_b = {10'd0, fraction_q[21:0]};
      end
    endcase
    product = {32'd0, factor_a} * {25'd0, factor_b};
  end

  assign done_o = step_q == Done;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= Rest;
    else if (step_q == Rest) step_q <= start_i ? Unpacked : Rest;
    else step_q <= (step_q == Done) ? Rest : step_e'(step_q + 4'd1);
  end

  always_ff @(posedge clk_i) begin
    product_q <= product;
    table_q   <= rom[fraction_q[27:22]];
    if (start_i) begin
      sum_q      <= sum;
      exponent_q <= exponent;
      sign_q     <= sign;
      nan_q      <= nan;
    end
    d_q    <= d;
    drop_q <= drop;
    if (step_q == Logarithm) begin
      fraction_q <= fraction;
      place_q    <= place;
    end
    if (step_q == Upper) upper_q <= product_q[31:0];
    if (step_q == Lower) s_q <= exp_lane_pkg::slope(table_q[63:32], upper_q, product_q[31:0]);
    if (step_q == Square) y_q <= exp_lane_pkg::value(table_q[31:0], product_q[53:22]);
    if (step_q == Value) begin
      y_o <= exp_lane_pkg::round(y_q, place_q, fp_pkg::Fp32Inf, fp_pkg::Fp32Nan);
    end
  end
endmodule
