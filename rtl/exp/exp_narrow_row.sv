// SPDX-License-Identifier: Apache-2.0
// Stage 6: the one conversion of the result, to nearest even.
// The input is not negative. 16-bit results are in the lower half of their word.
`include "tern_row.svh"

module exp_narrow_row #(
  parameter int unsigned Lanes = 512
) (
  input  logic                clk_i,
  input  logic                en_i,
  input  logic                fp16_i,
  input  logic                bf16_i,  // Neither: binary32
  input  logic [Lanes*32-1:0] e_i,
  output logic [Lanes*32-1:0] y_o
);
  typedef logic [Lanes*32-1:0] row_t;

  task automatic row_to_fp16(`TERN_ROW_IN row_t x, output row_t y);
    // verilator no_inline_task
    logic [31:0] xi, field, sig, drop, kept, half, base;
    logic        normal;
    for (int unsigned i = 0; i < Lanes; i++) begin
      xi     = x[i*32+:32];
      field  = xi >> 23;
      normal = field >= 32'd113;  // 2^-14
      sig    = normal ? xi - 32'h3800_0000 : (xi & 32'h007F_FFFF) | 32'h0080_0000;
      drop   = normal ? 32'd13 : 32'd126 - field;
      drop   = (drop > 32'd25) ? 32'd25 : drop;  // Below half of 2^-24: +0
      kept   = sig >> drop[4:0];
      half   = (32'd1 << (drop[4:0] - 5'd1)) - 32'd1 + (kept & 32'd1);
      base   = (sig + half) >> drop[4:0];
      base   = (xi >= 32'h4780_0000) ? 32'h7C00 : base;  // 2^16; below it, rounding carries itself
      y[i*32+:32] = (xi > fp_pkg::Fp32Inf) ? 32'h7E00 : base;
    end
  endtask

  task automatic row_to_bf16(`TERN_ROW_IN row_t x, output row_t y);
    // verilator no_inline_task
    logic [31:0] xi;
    for (int unsigned i = 0; i < Lanes; i++) begin
      xi = x[i*32+:32];
      // Infinity and the canonical NaN have no lower half to round.
      y[i*32+:32] = (xi + 32'h7FFF + ((xi >> 16) & 32'd1)) >> 16;
    end
  endtask

  row_t y_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (fp16_i) begin
        row_to_fp16(e_i, y_d);
        y_o <= y_d;
      end else if (bf16_i) begin
        row_to_bf16(e_i, y_d);
        y_o <= y_d;
      end else begin
        y_o <= e_i;
      end
    end
  end
endmodule
