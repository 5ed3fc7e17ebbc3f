// SPDX-License-Identifier: Apache-2.0
// One row of FP8 additions (E4M3FN), combinational: y = round(a + b) to nearest even; what is too
// large becomes the largest number, NaN is canonical. The sum is exact before it is rounded:
// every number is a multiple of 2^-9.
`include "tern_row.svh"

module fp8_add_row #(
  parameter int unsigned Lanes = 64
) (
  input  logic               en_i,  // y_o is 0 otherwise
  input  logic [Lanes*8-1:0] a_i,
  input  logic [Lanes*8-1:0] b_i,
  output logic [Lanes*8-1:0] y_o
);
  typedef logic [Lanes*8-1:0] row_t;

  localparam logic [7:0] Nan     = 8'h7F;
  localparam logic [7:0] Largest = 8'h7E;

  // In units of 2^-9. Exponents 0 and 1 have the same unit.
  function automatic logic [19:0] fixed(input logic [7:0] x);
    logic [3:0]  significand, shift;
    logic [19:0] magnitude;
    significand = {x[6:3] != 4'd0, x[2:0]};
    shift       = x[6:3] - 4'(x[6:3] != 4'd0);
    magnitude   = 20'(significand) << shift;
    fixed = x[7] ? -magnitude : magnitude;
  endfunction

  function automatic logic [7:0] add(input logic [7:0] a, input logic [7:0] b);
    logic [19:0] sum, magnitude, rest, half;
    logic [3:0]  drop;  // Bits of the magnitude below the four that stay
    logic [7:0]  code;  // A carry of the rounding moves into the exponent
    logic        sign;
    sum       = fixed(a) + fixed(b);
    sign      = (sum == 20'd0) ? (a[7] & b[7]) : sum[19];
    magnitude = sum[19] ? -sum : sum;
    drop      = 4'd0;
    for (int unsigned bit_of = 4; bit_of < 19; bit_of++) begin
      if (magnitude[bit_of]) drop = 4'(bit_of - 32'd3);
    end
    half = (20'd1 << drop) >> 1;
    rest = magnitude & ((20'd1 << drop) - 20'd1);
    code = {1'b0, drop, 3'd0} + 8'(magnitude >> drop);
    if ((rest > half) || ((rest == half) && (half != 20'd0) && code[0])) code = code + 8'd1;
    if (code > Largest) code = Largest;
    add = ((&a[6:0]) || (&b[6:0])) ? Nan : {sign, code[6:0]};
  endfunction

  task automatic row_add(`TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b, output row_t y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < Lanes; i++) begin
      y[i*8+:8] = add(a[i*8+:8], b[i*8+:8]);
    end
  endtask

  always_comb begin
    if (en_i) row_add(a_i, b_i, y_o);
    else y_o = '0;
  end
endmodule
