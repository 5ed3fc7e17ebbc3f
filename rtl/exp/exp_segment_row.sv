// SPDX-License-Identifier: Apache-2.0
// Stage 4 for one element of every partition: y = 2^fraction as a significand in [1, 2) with 28
// fraction bits, by a quadratic whose coefficients the upper six bits choose.
`include "tern_row.svh"

module exp_segment_row #(
  parameter int unsigned Partitions = 128
) (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic [Partitions*32-1:0] fraction_i,
  output logic [Partitions*32-1:0] y_o
);
  typedef logic [Partitions*32-1:0] row_t;

  task automatic row_segment(`TERN_ROW_IN row_t fraction, output row_t y);
    // verilator no_inline_task
    logic [31:0] t, r, low, high, c2, slope, p0, p1;
    for (int unsigned i = 0; i < Partitions; i++) begin
      t     = fraction[i*32+:32];
      r     = t & 32'h003F_FFFF;
      low   = exp_table_pkg::Low[{t[27:22], 5'd0}+:32];
      high  = exp_table_pkg::High[{t[27:22], 5'd0}+:32];
      c2    = (low >> 28) | ((high >> 23) << 4);
      // Both products are truncated. Truncating the shifted parts of one drops the same bits.
      slope = (high & 32'h007F_FFFF) + ((c2 * (r >> 11) + ((c2 * (r & 32'h7FF)) >> 11)) >> 9);
      p0    = (slope * (r & 32'hFF)) >> 8;
      p1    = (slope * ((r >> 8) & 32'hFF) + p0) >> 8;
      y[i*32+:32] = 32'h1000_0000 + (low & 32'h0FFF_FFFF) + ((slope * (r >> 16) + p1) >> 6);
    end
  endtask

  row_t y_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      row_segment(fraction_i, y_d);
      y_o <= y_d;
    end
  end
endmodule
