// SPDX-License-Identifier: Apache-2.0
// Stage 4: y = 2^fraction as a significand in [1, 2) with 28 fraction bits, by a quadratic whose
// coefficients the upper six bits choose.
`include "tern_row.svh"

module exp_segment_row #(
  parameter int unsigned Lanes = 512
) (
  input  logic                clk_i,
  input  logic                en_i,
  input  logic [Lanes*32-1:0] fraction_i,
  output logic [Lanes*32-1:0] y_o
);
  typedef logic [Lanes*32-1:0] row_t;

  // Apart from the arithmetic, so that the simulator looks up words of the host's registers.
  task automatic row_lookup(`TERN_ROW_IN row_t fraction, output row_t low, output row_t high);
    // verilator no_inline_task
    logic [31:0] t;
    for (int unsigned i = 0; i < Lanes; i++) begin
      t = fraction[i*32+:32];
      low[i*32+:32]  = exp_table_pkg::Low[{t[27:22], 5'd0}+:32];
      high[i*32+:32] = exp_table_pkg::High[{t[27:22], 5'd0}+:32];
    end
  endtask

  task automatic row_segment(`TERN_ROW_IN row_t fraction, `TERN_ROW_IN row_t low,
                             `TERN_ROW_IN row_t high, output row_t y);
    // verilator no_inline_task
    logic [63:0] product;
    logic [31:0] t, c2, s;
    for (int unsigned i = 0; i < Lanes; i++) begin
      t       = fraction[i*32+:32];
      c2      = exp_lane_pkg::curvature(low[i*32+:32], high[i*32+:32]);
      s       = exp_lane_pkg::slope(high[i*32+:32], c2 * ((t >> 11) & 32'h7FF),
                                    c2 * (t & 32'h7FF));
      product = {32'd0, s << 8} * {32'd0, (t << 2) & 32'h00FF_FFFC};
      y[i*32+:32] = exp_lane_pkg::value(low[i*32+:32], product[63:32]);
    end
  endtask

  row_t low, high, y_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_lookup(fraction_i, low, high);
      row_segment(fraction_i, low, high, y_d);
      y_o <= y_d;
    end
  end
endmodule
