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
    logic [31:0] di, by, flip, sig, upper, lower, rest, shift;
    logic        both;
    for (int unsigned i = 0; i < Lanes; i++) begin
      di      = d[i*32+:32];
      by      = drop[i*32+:32];
      flip    = 32'd0 - (di >> 31);
      sig     = di << 7;
      // |d| * log2(e) is upper * 2^32 + lower; 28 + drop bits are cut. floor(-n / 2^k) is
      // -1 - floor((n - 1) / 2^k): one less, then all bits flip. log2(e) is odd, so that lower is
      // 0 for d = +0 only: no borrow.
      product = {32'd0, sig} * Log;
      upper   = product[63:32] + sig;
      lower   = product[31:0] + flip;
      both    = by < 32'd4;  // Bits of both words
      rest    = both ? (upper << 4) | (lower >> 28) : upper;
      shift   = both ? by : by - 32'd4;
      shift   = (shift > 32'd31) ? 32'd31 : shift;
      fraction[i*32+:32] = ((rest >> shift[4:0]) ^ flip) & 32'h0FFF_FFFF;
      shift   = (by > 32'd31) ? 32'd31 : by;
      place[i*32+:32] = ((((upper >> 24) >> shift[4:0]) ^ flip) + 32'd192) | (by & 32'h200);
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
