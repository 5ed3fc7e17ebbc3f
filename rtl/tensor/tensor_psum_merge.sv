// SPDX-License-Identifier: Apache-2.0
// The row that a port writes back: its tiles' lanes get their values, as words or as one half of
// the word; the others keep the old word. Control is per column group.
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_psum_merge #(
  parameter int unsigned Cols = 128
) (
  input  logic               en_i,     // row_o is 0 otherwise
  input  logic         [3:0] half_i,   // 16-bit elements: values in the lower half of their words
  input  logic         [3:0] upper_i,  // Those that go to the upper half
  input  logic   [3:0] [7:0] end_i,    // Lanes of the group below this one belong to the tile
  `TERN_LANES
  input  logic [Cols*32-1:0] old_i,
  input  logic [Cols*32-1:0] value_i,
  output logic [Cols*32-1:0] row_o
  `TERN_LANES_END
);
  localparam int unsigned Lanes = Cols / 4;
  typedef logic [Cols*32-1:0] row_t;

  task automatic row_merge(input logic [31:0] half, input logic [31:0] upper,
                           input logic [31:0] ends, `TERN_ROW_IN row_t old_row,
                           `TERN_ROW_IN row_t value, output row_t y);
    // verilator no_inline_task
    logic [31:0] group, old_word, word, stop;
    logic        is_half, is_upper;
    for (int unsigned i = 0; i < Cols; i++) begin
      group    = i / Lanes;
      old_word = old_row[i*32+:32];
      word     = value[i*32+:32];
      is_half  = ((half >> group) & 32'd1) != 32'd0;
      is_upper = ((upper >> group) & 32'd1) != 32'd0;
      stop     = (ends >> (group * 32'd8)) & 32'hFF;
      word     = !is_half ? word
               : is_upper ? (word << 16) | (old_word & 32'h0000_FFFF)
               : (old_word & 32'hFFFF_0000) | (word & 32'h0000_FFFF);
      y[i*32+:32] = (i < stop) ? word : old_word;
    end
  endtask

  always_comb begin
    if (en_i) row_merge(32'(half_i), 32'(upper_i), end_i, old_i, value_i, row_o);
    else row_o = '0;
  end
endmodule
