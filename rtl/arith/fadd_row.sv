// SPDX-License-Identifier: Apache-2.0
// One row of binary32 additions, combinational: y = round(a + b) to nearest even, subnormals kept,
// NaN canonical.
`include "tern_row.svh"
`include "tern_trace.svh"

module fadd_row #(
  parameter int unsigned Lanes = 128
) (
  input  logic                en_i,  // y_o is 0 otherwise
  `TERN_LANES
  input  logic [Lanes*32-1:0] a_i,
  input  logic [Lanes*32-1:0] b_i,
  output logic [Lanes*32-1:0] y_o
  `TERN_LANES_END
);
  typedef logic [Lanes*32-1:0] row_t;

  task automatic row_add(`TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b, output row_t y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < Lanes; i++) begin
      y[i*32+:32] = fp_pkg::add(a[i*32+:32], b[i*32+:32]);
    end
  endtask

  always_comb begin
    if (en_i) row_add(a_i, b_i, y_o);
    else y_o = '0;
  end
endmodule
