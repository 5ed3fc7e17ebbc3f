// SPDX-License-Identifier: Apache-2.0
// Quantises one x4 column of a quadrant per cycle: four BF16 or FP16 elements of each partition
// become one packed MX element, each block of eight partitions gets one scale. README.md.
`include "tern_assert.svh"

module mx_quantize #(
  parameter  int unsigned Partitions = 32,
  localparam int unsigned Blocks     = Partitions / 8
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     valid_i,
  input  logic                     fp16_i,  // Source: 0 BF16, 1 FP16
  input  logic                     e5m2_i,  // Destination: 0 E4M3FN, 1 E5M2
  input  logic                     ocp_i,   // Rule of the scale: 0 aws, 1 ocp
  input  logic [Partitions*64-1:0] data_i,  // Element q of partition p at [64p + 16q +: 16]
  output logic                     valid_o,
  output logic [Partitions*32-1:0] data_o,  // Element q of partition p at [32p + 8q +: 8]
  output logic [Blocks*8-1:0]      scale_o  // E8M0, block b at [8b +: 8]
);
  `TERN_ASSERT_INIT(WholeBlocks, Partitions >= 8 && Partitions % 8 == 0)

  localparam int unsigned Lanes = Partitions * 4;
  typedef logic [Lanes*16-1:0]  half_t;
  typedef logic [Lanes*32-1:0]  word_t;
  typedef logic [Blocks*32-1:0] top_t;

  // Common form of an element: bits 10..0 significand with its leading one, 20..11 exponent + 160,
  // 31 sign. A zero has exponent field 0, an infinity or NaN the field Special, so that the largest
  // field of a block is sufficient to classify it.
  localparam logic [31:0] Special = 32'd511;

  task automatic recode(input half_t x, input logic fp16, output word_t y);
    // verilator no_inline_task
    logic [31:0] h, abs, sig, field, exponent, first, offset, sub, key;
    logic        up, special;
    offset = fp16 ? 32'd145 : 32'd33;  // 160 - bias
    for (int unsigned i = 0; i < Lanes; i++) begin
      h       = {16'd0, x[i*16+:16]};
      abs     = h & 32'h7FFF;
      field   = fp16 ? abs >> 10 : abs >> 7;
      sig     = fp16 ? abs & 32'h3FF : (abs & 32'h7F) << 3;
      special = field == (fp16 ? 32'd31 : 32'd255);
      sub     = (field == 32'd0) ? 32'd1 : 32'd0;
      sig     = sig | ((sub != 32'd0) ? 32'd0 : 32'h400);
      exponent = field + sub + offset;
      // Subnormals: the leading one moves up to bit 10.
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
      key      = (abs == 32'd0) ? 32'd0 : special ? Special : exponent;
      first    = (abs == 32'd0) ? 32'd0 : sig;
      y[i*32+:32] = ((h & 32'h8000) << 16) | (key << 11) | first;
    end
  endtask

  // The largest exponent field of each block: five levels of compares.
  task automatic largest(input word_t x, output top_t y);
    // verilator no_inline_task
    word_t       tree;
    logic [31:0] a, b;
    for (int unsigned i = 0; i < Lanes; i++) tree[i*32+:32] = (x[i*32+:32] >> 11) & 32'h3FF;
    for (int unsigned step = 16; step > 0; step = step >> 1) begin
      for (int unsigned block = 0; block < Blocks; block++) begin
        for (int unsigned i = 0; i < step; i++) begin
          a = tree[(block*32+i)*32+:32];
          b = tree[(block*32+i+step)*32+:32];
          tree[(block*32+i)*32+:32] = (a > b) ? a : b;
        end
      end
    end
    for (int unsigned block = 0; block < Blocks; block++) y[block*32+:32] = tree[block*1024+:32];
  endtask

  // Scale of each block: E8M0 byte, largest exponent - (emax - 1), or - emax, limited to 0.
  task automatic choose_scale(input top_t x, input logic e5m2, input logic ocp, output top_t y);
    // verilator no_inline_task
    logic [31:0] key, below;
    below = (e5m2 ? 32'd47 : 32'd40) + (ocp ? 32'd1 : 32'd0);  // 160 - 127 + emax - 1
    for (int unsigned block = 0; block < Blocks; block++) begin
      key = x[block*32+:32];
      y[block*32+:32] = (key == Special) ? 32'd255 : (key < below) ? 32'd0 : key - below;
    end
  endtask

  // Element / scale: the difference of the exponents aligns the significand, then one rounding.
  task automatic scale_down(input word_t x, input top_t scales, input logic e5m2, output word_t y);
    // verilator no_inline_task
    logic [31:0] w, sig, field, drop, kept, up, code, lift, scale, highest, base, mantissa, bottom;
    base     = e5m2 ? 32'd18 : 32'd26;  // 160 - 127 - bias
    mantissa = e5m2 ? 32'd2 : 32'd3;
    highest  = e5m2 ? 32'h7B : 32'h7E;
    bottom   = 32'd10 - mantissa;
    for (int unsigned block = 0; block < Blocks; block++) begin
      scale = scales[block*32+:32];
      for (int unsigned i = 0; i < 32; i++) begin
        w     = x[(block*32+i)*32+:32];
        sig   = w & 32'h7FF;
        // Exponent field in the destination; at most 0 for its subnormals, down to -256.
        field = ((w >> 11) & 32'h3FF) - scale - base;
        drop  = ($signed(field) < 32'sd1) ? bottom + 32'd1 - field : bottom;
        drop  = (drop > 32'd12) ? 32'd12 : drop;
        kept  = sig >> drop[3:0];
        up    = (sig + (32'd1 << (drop - 32'd1)) - 32'd1 + (kept & 32'd1)) >> drop[3:0];
        lift  = ($signed(field) > 32'sd1) ? (field - 32'd1) << mantissa : 32'd0;
        code  = up + lift;
        code  = (code > highest) ? highest : code;
        code  = (scale == 32'd255) ? 32'd0 : code;
        y[(block*32+i)*32+:32] = ((w >> 24) & 32'h80) | code;
      end
    end
  endtask

  word_t recoded, recoded_q, codes;
  top_t  tops, tops_q, scales;
  logic  valid_q, e5m2_q, ocp_q;

  // Stage 1: common form, largest exponent.
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      recode(data_i, fp16_i, recoded);
      largest(recoded, tops);
      recoded_q <= recoded;
      tops_q    <= tops;
      e5m2_q    <= e5m2_i;
      ocp_q     <= ocp_i;
    end
  end

  // Stage 2: scales, codes.
  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      choose_scale(tops_q, e5m2_q, ocp_q, scales);
      scale_down(recoded_q, scales, e5m2_q, codes);
      for (int unsigned i = 0; i < Lanes; i++) data_o[i*8+:8] <= codes[i*32+:8];
      for (int unsigned b = 0; b < Blocks; b++) scale_o[b*8+:8] <= scales[b*32+:8];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      valid_q <= valid_i;
      valid_o <= valid_q;
    end
  end

`ifdef TERN_COVER_POINTS
`include "mx_quantize_cover.svh"
`endif
endmodule
