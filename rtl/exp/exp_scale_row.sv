// SPDX-License-Identifier: Apache-2.0
// Stage 3: t = floor(d * log2(e)) in fixed point with 28 fraction bits, of d as exp_subtract_row
// gives it. Output place_o is the whole part of t plus 192 (and bit 9 for NaN), fraction_o the
// rest.
//
// Special results need no separate path but for NaN: infinity is 2^128 and above, +0 is below half
// of 2^-149, and what is nearest to 1 is 1.
`include "tern_row.svh"

module exp_scale_row #(
  parameter int unsigned Lanes = 512
) (
  input  logic                clk_i,
  input  logic                en_i,
  input  logic [Lanes*32-1:0] d_i,
  input  logic [Lanes*32-1:0] drop_i,
  output logic [Lanes*32-1:0] fraction_o,
  output logic [Lanes*32-1:0] place_o
);
  typedef logic [Lanes*32-1:0] row_t;

  // Fraction of log2(e); its leading one is added apart.
  localparam logic [63:0] Log = {32'd0, exp_table_pkg::Log2e[31:0]};

  task automatic row_scale(`TERN_ROW_IN row_t d, `TERN_ROW_IN row_t drop, output row_t fraction,
                           output row_t place);
    // verilator no_inline_task
    logic [63:0] product;
    logic [31:0] sig, part, high;
    for (int unsigned i = 0; i < Lanes; i++) begin
      sig     = d[i*32+:32] << 7;
      product = {32'd0, sig} * Log;
      exp_lane_pkg::scale(d[i*32+:32], drop[i*32+:32], product, part, high);
      fraction[i*32+:32] = part;
      place[i*32+:32]    = high;
    end
  endtask

  row_t fraction_d, place_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_scale(d_i, drop_i, fraction_d, place_d);
      fraction_o <= fraction_d;
      place_o    <= place_d;
    end
  end
endmodule
