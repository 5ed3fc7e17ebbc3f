// SPDX-License-Identifier: Apache-2.0
// Dequantises one x4 column of a quadrant per cycle: four FP8 or FP4 elements of each partition
// times the scale of their block become FP32 or BF16. FP4 may also become FP8, without scales.
// README.md.
`include "tern_assert.svh"

module mx_dequantize #(
  parameter  int unsigned Partitions = 32,
  localparam int unsigned Blocks     = Partitions / 8
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      valid_i,
  input  logic                [4:0] src_i,    // tern_spec_pkg: e4m3fn_x4, e5m2_x4 or e2m1_x4
  input  logic                [4:0] dst_i,    // fp32, bf16, or e4m3fn_x4 (of e2m1_x4 only)
  input  logic  [Partitions*32-1:0] data_i,   // x4 of partition p at [32p +: 32]
  input  logic       [Blocks*8-1:0] scale_i,  // E8M0, block b at [8b +: 8]
  output logic                      valid_o,
  output logic [Partitions*128-1:0] data_o    // Element q of partition p at [128p + 32q +: 32]
);
  `TERN_ASSERT_INIT(WholeBlocks, Partitions >= 8 && Partitions % 8 == 0)
  `TERN_ASSERT(KnownSource, !valid_i || src_i == tern_spec_pkg::DtypeE4m3fn_x4
                            || src_i == tern_spec_pkg::DtypeE5m2_x4
                            || src_i == tern_spec_pkg::DtypeE2m1_x4)
  `TERN_ASSERT(KnownDestination, !valid_i || dst_i == tern_spec_pkg::DtypeFp32
                                 || dst_i == tern_spec_pkg::DtypeBf16
                                 || (dst_i == tern_spec_pkg::DtypeE4m3fn_x4
                                     && src_i == tern_spec_pkg::DtypeE2m1_x4))

  localparam int unsigned Lanes = Partitions * 4;
  typedef logic [Partitions*32-1:0] packed_t;
  typedef logic [Lanes*32-1:0]      word_t;
  typedef logic [Blocks*8-1:0]      scale_t;

  task automatic scale_up(input packed_t x, input scale_t scales, input logic fp4,
                          input logic e5m2, input logic narrow, input logic expand,
                          output word_t y);
    // verilator no_inline_task
    logic [31:0] x4, abs, sign, field, sig, exponent, scale, top, fp32, bf16, byte_word;
    logic [31:0] mantissa, bias, width, gap;
    logic        up, nan, infinite;
    width    = fp4 ? 32'd4 : 32'd8;
    mantissa = fp4 ? 32'd1 : e5m2 ? 32'd2 : 32'd3;
    bias     = fp4 ? 32'd1 : e5m2 ? 32'd15 : 32'd7;
    for (int unsigned i = 0; i < Lanes; i++) begin
      scale = {24'd0, scales[(i/32)*8+:8]};
      x4    = x[(i/4)*32+:32] >> (fp4 ? (i % 4) * 4 : (i % 4) * 8);
      sign  = (x4 >> (width - 32'd1)) << 31;
      abs   = x4 & ((32'd1 << (width - 32'd1)) - 32'd1);
      field = abs >> mantissa;
      // Significand with three fraction bits; subnormals are normalised.
      sig      = ((abs << (32'd3 - mantissa)) & 32'd7) | ((field != 32'd0) ? 32'd8 : 32'd0);
      exponent = ((field == 32'd0) ? 32'd1 : field) - bias;
      up       = sig < 32'd4;
      sig      = up ? sig << 2 : sig;
      exponent = up ? exponent - 32'd2 : exponent;
      up       = sig < 32'd8;
      sig      = up ? sig << 1 : sig;
      exponent = up ? exponent - 32'd1 : exponent;
      infinite = e5m2 && (abs == 32'h7C);
      nan      = !fp4 && (abs > (e5m2 ? 32'h7C : 32'h7E));
      // FP32: the scale only changes the exponent. Subnormal results keep all bits: the smallest is
      // 2^-143.
      top  = exponent + scale;
      gap  = 32'd1 - top;
      gap  = (gap > 32'd31) ? 32'd31 : gap;
      fp32 = (top << 23) | ((sig & 32'd7) << 20);
      fp32 = ($signed(top) < 32'sd1) ? (sig << 20) >> gap[4:0] : fp32;
      fp32 = (infinite || ($signed(top) > 32'sd254)) ? 32'h7F80_0000 : fp32;
      fp32 = (abs == 32'd0) ? sign : sign | fp32;
      fp32 = (nan || (scale == 32'd255)) ? 32'h7FC0_0000 : fp32;
      bf16 = (fp32 + 32'h7FFF + ((fp32 >> 16) & 32'd1)) >> 16;
      byte_word = ((exponent + 32'd7) << 3) | (sig & 32'd7);
      byte_word = (sign >> 24) | ((abs == 32'd0) ? 32'd0 : byte_word);
      y[i*32+:32] = expand ? byte_word : narrow ? bf16 : fp32;
    end
  endtask

  word_t result;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      scale_up(data_i, scale_i, src_i == tern_spec_pkg::DtypeE2m1_x4,
               src_i == tern_spec_pkg::DtypeE5m2_x4, dst_i == tern_spec_pkg::DtypeBf16,
               dst_i == tern_spec_pkg::DtypeE4m3fn_x4, result);
      data_o <= result;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else         valid_o <= valid_i;
  end

`ifdef TERN_COVER_POINTS
`include "mx_dequantize_cover.svh"
`endif
endmodule
