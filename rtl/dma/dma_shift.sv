// SPDX-License-Identifier: Apache-2.0
// Stages 2 and 3 of a beat that is copied or transposed: takes two lines, then the 64 bytes that
// begin at a given byte of the first.
`include "tern_row.svh"

module dma_shift (
  input  logic         clk_i,
  input  logic         copy1_i,   // Stage 1: takes the lines
  input  logic         fill1_i,   // Stage 1: takes the first, for the transpose
  input  logic [511:0] line0_i,
  input  logic [511:0] line1_i,
  output logic [511:0] line_o,    // Stage 2: the first line
  input  logic         copy2_i,   // Stage 2: shifts
  input  logic         leave2_i,  // Stage 2: takes a transposed row instead
  input  logic [511:0] row_i,
  input  logic   [5:0] shift2_i,  // Bytes
  output logic [511:0] data_o     // Stage 3
);
  logic [511:0] line0_q, line1_q, data_d;
  assign line_o = line0_q;

  // Words first, then bytes of words: 32-bit lanes for the simulator.
  task automatic row_shift(input logic [5:0] shift, `TERN_ROW_IN logic [511:0] low,
                           `TERN_ROW_IN logic [511:0] high, output logic [511:0] y);
    // verilator no_inline_task
    logic [1023:0] both;
    logic [31:0]   words, bits;
    logic [31:0]   below, above;
    both  = {high, low};
    words = 32'(shift) >> 2;
    bits  = (32'(shift) & 32'd3) << 3;
    for (int unsigned i = 0; i < 16; i++) begin
      below       = both[(words + i)*32+:32];
      above       = both[(words + i + 32'd1)*32+:32];
      y[i*32+:32] = (bits == 32'd0) ? below : (below >> bits) | (above << (32'd32 - bits));
    end
  endtask

  logic [511:0] zero;
  assign zero = '0;

  always_ff @(posedge clk_i) begin
    if (copy1_i || fill1_i) line0_q <= line0_i;
    if (copy1_i) line1_q <= line1_i;
    if (copy2_i) begin
      if (shift2_i == 6'd0) begin
        data_o <= line0_q;
      end else begin
        row_shift(shift2_i, line0_q, line1_q, data_d);
        data_o <= data_d;
      end
    end else if (leave2_i) begin
      if (shift2_i == 6'd0) begin
        data_o <= row_i;
      end else begin
        row_shift(shift2_i, row_i, zero, data_d);
        data_o <= data_d;
      end
    end
  end
endmodule
