// SPDX-License-Identifier: Apache-2.0
// Stage 2 of an array port of PSUM: adds the array's sums to the old words or takes them unchanged,
// and rounds them if the destination is BF16. Its four column groups may belong to different
// tiles. Combinational; an idle port computes nothing.
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_psum_port #(
  parameter int unsigned Cols = 128
) (
  input  logic         [3:0] valid_i,
  input  logic         [3:0] accumulate_i,
  input  logic         [3:0] half_i,
  input  logic         [3:0] upper_i,
  input  logic         [3:0] stochastic_i,
  input  logic   [3:0] [7:0] end_i,
  `TERN_LANES
  input  logic [Cols*32-1:0] old_i,
  input  logic [Cols*32-1:0] sum_i,
  input  logic [Cols*32-1:0] draw_i,
  output logic [Cols*32-1:0] value_o,  // The elements written, BF16 in the lower halves
  output logic [Cols*32-1:0] row_o     // The words written
  `TERN_LANES_END
);
  localparam int unsigned Lanes = Cols / 4;
  typedef logic [Cols*32-1:0] row_t;

  // The old elements as binary32.
  task automatic row_widen(input logic [31:0] half, input logic [31:0] upper,
                           `TERN_ROW_IN row_t old_row, output row_t y);
    // verilator no_inline_task
    logic [31:0] group, word, wide;
    logic        is_half, is_upper;
    for (int unsigned i = 0; i < Cols; i++) begin
      group    = i / Lanes;
      word     = old_row[i*32+:32];
      is_half  = ((half >> group) & 32'd1) != 32'd0;
      is_upper = ((upper >> group) & 32'd1) != 32'd0;
      wide     = is_upper ? word & 32'hFFFF_0000 : word << 16;
      y[i*32+:32] = is_half ? wide : word;
    end
  endtask

  // The word of `a` in the groups selected, that of `b` with canonical NaN in the others.
  task automatic row_pick(input logic [31:0] select, `TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b,
                          output row_t y);
    // verilator no_inline_task
    logic [31:0] ai, bi;
    logic        is_a, nan;
    for (int unsigned i = 0; i < Cols; i++) begin
      ai   = a[i*32+:32];
      bi   = b[i*32+:32];
      is_a = ((select >> (i / Lanes)) & 32'd1) != 32'd0;
      nan  = (bi & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf;
      y[i*32+:32] = is_a ? ai : nan ? fp_pkg::Fp32Nan : bi;
    end
  endtask

  // Groups selected take the word of `a`, the others that of `b`.
  task automatic row_select(input logic [31:0] select, `TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b,
                            output row_t y);
    // verilator no_inline_task
    logic [31:0] ai, bi;
    for (int unsigned i = 0; i < Cols; i++) begin
      ai = a[i*32+:32];
      bi = b[i*32+:32];
      y[i*32+:32] = ((select >> (i / Lanes)) & 32'd1) != 32'd0 ? ai : bi;
    end
  endtask

  logic any, add, round;
  assign any   = valid_i != 4'd0;
  assign add   = (valid_i & accumulate_i) != 4'd0;
  assign round = (valid_i & half_i) != 4'd0;

  `TERN_LANES
  row_t addend, added, exact, rounded;
  `TERN_LANES_END

  always_comb begin
    addend = '0;
    if (add) begin
      if (round) row_widen(32'(half_i), 32'(upper_i), old_i, addend);
      else addend = old_i;
    end
  end

  fadd_row #(
    .Lanes(Cols)
  ) u_add (
    .en_i(add),
    .a_i (addend),
    .b_i (sum_i),
    .y_o (added)
  );

  always_comb begin
    exact = '0;
    if (any) row_pick(32'(accumulate_i), added, sum_i, exact);
  end

  bf16_round_row #(
    .Lanes(Cols), .Groups(4)
  ) u_round (
    .en_i        (round),
    .stochastic_i(stochastic_i),
    .x_i         (exact),
    .draw_i      (draw_i),
    .y_o         (rounded)
  );

  always_comb begin
    value_o = '0;
    if (any) begin
      if (round) row_select(32'(half_i), rounded, exact, value_o);
      else value_o = exact;
    end
  end

  tensor_psum_merge #(
    .Cols(Cols)
  ) u_merge (
    .en_i   (any),
    .half_i (half_i),
    .upper_i(upper_i),
    .end_i  (end_i),
    .old_i  (old_i),
    .value_i(value_o),
    .row_o  (row_o)
  );
endmodule
