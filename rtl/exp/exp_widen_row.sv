// SPDX-License-Identifier: Apache-2.0
// Stage 1 for one element of every partition: BF16, FP16 or binary32 becomes binary32, exactly.
`include "tern_row.svh"

module exp_widen_row #(
  parameter int unsigned Partitions = 128
) (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic                     fp16_i,
  input  logic                     bf16_i,  // Neither: binary32
  input  logic [Partitions*32-1:0] x_i,     // 16-bit elements in the lower half of their word
  output logic [Partitions*32-1:0] y_o
);
  typedef logic [Partitions*32-1:0] row_t;

  task automatic row_from_fp16(`TERN_ROW_IN row_t x, output row_t y);
    // verilator no_inline_task
    logic [31:0] h, field, sig, exponent, abs;
    logic        up;
    for (int unsigned i = 0; i < Partitions; i++) begin
      h     = x[i*32+:32] & 32'hFFFF;
      abs   = h & 32'h7FFF;
      field = abs >> 10;
      // Subnormals: the leading one moves up to bit 10.
      sig      = (field == 32'd0) ? abs : (abs & 32'h3FF) | 32'h400;
      exponent = (field == 32'd31) ? 32'd255 : (field == 32'd0) ? 32'd113 : field + 32'd112;
      up       = sig < 32'd8;
      sig      = up ? sig << 8 : sig;
      exponent = up ? exponent - 32'd8 : exponent;
      up       = sig < 32'd128;
      sig      = up ? sig << 4 : sig;
      exponent = up ? exponent - 32'd4 : exponent;
      up       = sig < 32'd512;
      sig      = up ? sig << 2 : sig;
      exponent = up ? exponent - 32'd2 : exponent;
      up       = sig < 32'd1024;
      sig      = up ? sig << 1 : sig;
      exponent = up ? exponent - 32'd1 : exponent;
      y[i*32+:32] = ((h & 32'h8000) << 16)
                  | ((abs == 32'd0) ? 32'd0 : (exponent << 23) | ((sig & 32'h3FF) << 13));
    end
  endtask

  task automatic row_from_bf16(`TERN_ROW_IN row_t x, output row_t y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < Partitions; i++) y[i*32+:32] = x[i*32+:32] << 16;
  endtask

  row_t y_d;
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (fp16_i) begin
        row_from_fp16(x_i, y_d);
        y_o <= y_d;
      end else if (bf16_i) begin
        row_from_bf16(x_i, y_d);
        y_o <= y_d;
      end else begin
        y_o <= x_i;
      end
    end
  end
endmodule
