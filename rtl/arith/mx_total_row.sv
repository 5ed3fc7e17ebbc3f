// SPDX-License-Identifier: Apache-2.0
// One row of totals of four exact sums (mx_dot_row), combinational: word by word, no carries.
`include "tern_row.svh"
`include "tern_trace.svh"

module mx_total_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic                  en_i,       // The outputs are 0 otherwise
  input  logic [3:0]            special_i,  // The flags of the term count
  `TERN_LANES
  input  logic [4*Lanes*32-1:0] a_i,
  input  logic [4*Lanes*32-1:0] b_i,
  input  logic [4*Lanes*32-1:0] c_i,
  input  logic [4*Lanes*32-1:0] d_i,
  input  logic [Lanes*32-1:0]   a_flags_i,
  input  logic [Lanes*32-1:0]   b_flags_i,
  input  logic [Lanes*32-1:0]   c_flags_i,
  input  logic [Lanes*32-1:0]   d_flags_i,
  output logic [4*Lanes*32-1:0] sum_o,
  output logic [Lanes*32-1:0]   flags_o
  `TERN_LANES_END
);
  typedef logic [Lanes*32-1:0] row_t;
  typedef logic [4*Lanes*32-1:0] sums_t;

  task automatic row_total(`TERN_ROW_IN sums_t a, `TERN_ROW_IN sums_t b, `TERN_ROW_IN sums_t c,
                           `TERN_ROW_IN sums_t d, output sums_t y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < 4 * Lanes; i++) begin
      y[i*32+:32] = a[i*32+:32] + b[i*32+:32] + c[i*32+:32] + d[i*32+:32];
    end
  endtask

  task automatic row_flags(`TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b, `TERN_ROW_IN row_t c,
                           `TERN_ROW_IN row_t d, input logic [3:0] special,
                           output row_t y);
    // verilator no_inline_task
    logic [31:0] am, bm, cm, dm;
    am = {32{special[0]}};
    bm = {32{special[1]}};
    cm = {32{special[2]}};
    dm = {32{special[3]}};
    for (int unsigned i = 0; i < Lanes; i++) begin
      y[i*32+:32] = (a[i*32+:32] & am) | (b[i*32+:32] & bm) | (c[i*32+:32] & cm)
                  | (d[i*32+:32] & dm);
    end
  endtask

  always_comb begin
    if (en_i) row_total(a_i, b_i, c_i, d_i, sum_o);
    else sum_o = '0;
  end

  always_comb begin
    if (en_i && special_i != 4'd0) begin
      row_flags(a_flags_i, b_flags_i, c_flags_i, d_flags_i, special_i, flags_o);
    end else begin
      flags_o = '0;
    end
  end
endmodule
