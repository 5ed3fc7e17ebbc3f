// SPDX-License-Identifier: Apache-2.0
// One row of binary32 words rounded to BF16, combinational: the BF16 number in the lower half of
// each word, the upper half 0. Rounding is to nearest even, or stochastic: the upper 16 bits of a
// random draw are added below the cut. NaN is canonical, infinity stays, overflow gives infinity.
`include "tern_row.svh"
`include "tern_trace.svh"

module bf16_round_row #(
  parameter int unsigned Lanes  = 128,
  parameter int unsigned Groups = 4  // Groups of lanes, each with its own rounding
) (
  input  logic                en_i,          // y_o is 0 otherwise
  input  logic   [Groups-1:0] stochastic_i,
  `TERN_LANES
  input  logic [Lanes*32-1:0] x_i,
  input  logic [Lanes*32-1:0] draw_i,
  output logic [Lanes*32-1:0] y_o
  `TERN_LANES_END
);
  typedef logic [Lanes*32-1:0] row_t;

  // Infinity is no special case: its lower half is 0, so neither bias carries out of it.
  task automatic row_round(input logic [31:0] stochastic, `TERN_ROW_IN row_t x,
                           `TERN_ROW_IN row_t draw, output row_t y);
    // verilator no_inline_task
    logic [31:0] xi, di, bias;
    logic        random, nan;
    for (int unsigned i = 0; i < Lanes; i++) begin
      xi     = x[i*32+:32];
      di     = draw[i*32+:32];
      random = ((stochastic >> (i / (Lanes / Groups))) & 32'd1) != 32'd0;
      bias   = random ? di >> 16 : 32'h0000_7FFF + ((xi >> 16) & 32'd1);
      nan    = (xi & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf;
      y[i*32+:32] = nan ? fp_pkg::Fp32Nan >> 16 : (xi + bias) >> 16;
    end
  endtask

  always_comb begin
    if (en_i) row_round(32'(stochastic_i), x_i, draw_i, y_o);
    else y_o = '0;
  end
endmodule
