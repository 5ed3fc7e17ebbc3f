// SPDX-License-Identifier: Apache-2.0
// Stage 5 for one element of every partition: y * 2^k, rounded once to binary32, to nearest even,
// subnormals kept.
`include "tern_row.svh"

module exp_round_row #(
  parameter int unsigned Partitions = 128
) (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic                     present_i,  // Otherwise all results are +0
  input  logic [Partitions*32-1:0] y_i,
  input  logic [Partitions*32-1:0] place_i,    // As exp_scale_row gives it
  output logic [Partitions*32-1:0] e_o
);
  typedef logic [Partitions*32-1:0] row_t;

  task automatic row_round(`TERN_ROW_IN row_t y, `TERN_ROW_IN row_t place, output row_t e);
    // verilator no_inline_task
    logic [31:0] yi, pi, k, drop, base, kept, rounded;
    logic        normal;
    for (int unsigned i = 0; i < Partitions; i++) begin
      yi      = y[i*32+:32];
      pi      = place[i*32+:32];
      k       = pi & 32'h1FF;
      normal  = k >= 32'd34;  // 2^-126 and above; below, bits of the significand are dropped
      drop    = normal ? 32'd5 : 32'd39 - k;
      base    = normal ? (k - 32'd34) << 23 : 32'd0;
      kept    = yi >> drop[4:0];
      rounded = (yi + (32'd1 << (drop[4:0] - 5'd1)) - 32'd1 + (kept & 32'd1)) >> drop[4:0];
      // A carry out of the rounding moves into the exponent. NaN is infinity with its quiet bit.
      e[i*32+:32] = (base + rounded) | ((pi & 32'h200) << 13);
    end
  endtask

  row_t e_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (present_i) begin
        row_round(y_i, place_i, e_d);
        e_o <= e_d;
      end else begin
        e_o <= '0;
      end
    end
  end
endmodule
