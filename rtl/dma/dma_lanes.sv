// SPDX-License-Identifier: Apache-2.0
// Operations in the data path: 16 elements per beat, or 32 if source and destination have 16 bits.
// Stage 1 widens to binary32, stage 2 takes the source into the accumulators of the block, stage 3
// narrows. docs/numerics.md, "DMA".
`include "tern_row.svh"

module dma_lanes (
  input  logic                clk_i,
  input  dma_back_pkg::beat_t beat1_i,  // The beats at the stages
  input  dma_back_pkg::beat_t beat2_i,
  input  dma_back_pkg::beat_t beat3_i,
  input  logic        [511:0] line_i,   // Stage 1
  output logic        [511:0] data_o    // After stage 3
);
  localparam int unsigned Lanes = 32;
  typedef logic [Lanes*32-1:0] row_t;

  // Stage 1: elements in separate words.
  task automatic row_spread(`TERN_ROW_IN logic [511:0] line, input logic whole, input logic upper,
                            output row_t y);
    // verilator no_inline_task
    logic [31:0] word;
    for (int unsigned i = 0; i < 16; i++) begin
      word           = line[i*32+:32];
      y[i*64+:32]    = word & 32'hFFFF;
      y[i*64+32+:32] = word >> 16;
    end
    if (upper) y[511:0] = y[1023:512];
    if (whole) y[511:0] = line;
  endtask

  logic src1_fp16, src1_bf16;
  assign src1_fp16 = beat1_i.src_dtype == dma_spec_pkg::DtypeFp16;
  assign src1_bf16 = beat1_i.src_dtype == dma_spec_pkg::DtypeBf16;

  row_t spread, x_q;
  always_comb begin
    spread = '0;
    if (beat1_i.lanes) row_spread(line_i, !src1_fp16 && !src1_bf16, beat1_i.shift[5], spread);
  end
  exp_widen_row #(.Partitions(Lanes)) u_widen (
    .clk_i  (clk_i),
    .en_i   (beat1_i.lanes),
    .fp16_i (src1_fp16),
    .bf16_i (src1_bf16),
    .x_i    (spread),
    .y_o    (x_q)
  );

  // Stage 2. A first source is added to -0, which preserves it, or compared with itself.
  logic [511:0] even [8];  // Accumulators: 16 elements each, by position in the block
  logic [511:0] odd [8];
  logic [2:0]   place;
  logic         pair2, ordering, multiplying, adding, greatest;
  row_t         acc, sum, product, result, result_q, ordered;
  assign place       = beat2_i.row[3:1];
  assign pair2       = beat2_i.src_dtype != dma_spec_pkg::DtypeFp32
                    && beat2_i.dst_dtype != dma_spec_pkg::DtypeFp32;
  assign greatest    = beat2_i.op == dma_spec_pkg::OpMax;
  assign ordering    = beat2_i.lanes && (greatest || beat2_i.op == dma_spec_pkg::OpMin);
  assign multiplying = beat2_i.lanes && beat2_i.op == dma_spec_pkg::OpFma;
  assign adding      = beat2_i.lanes && !ordering && !multiplying;

  always_comb begin
    acc = {Lanes{32'h8000_0000}};
    if (beat2_i.lanes) begin
      if (!beat2_i.pass_first) begin
        acc = {odd[place], beat2_i.row[0] ? odd[place] : even[place]};
      end else if (ordering) begin
        acc = x_q;
      end
    end
  end

  task automatic row_order(input logic largest, `TERN_ROW_IN row_t a, `TERN_ROW_IN row_t b,
                           output row_t y);
    // verilator no_inline_task
    logic [31:0] p, q, p_key, q_key;
    logic        nan, take_p;
    for (int unsigned i = 0; i < Lanes; i++) begin
      p = a[i*32+:32];
      q = b[i*32+:32];
      // As unsigned numbers in the order of the values, -0 below +0.
      p_key  = p[31] ? ~p : p | 32'h8000_0000;
      q_key  = q[31] ? ~q : q | 32'h8000_0000;
      take_p = largest ? p_key > q_key : p_key < q_key;
      nan    = ((p & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf) || ((q & 32'h7FFF_FFFF) > fp_pkg::Fp32Inf);
      y[i*32+:32] = nan ? fp_pkg::Fp32Nan : take_p ? p : q;
    end
  endtask

  fadd_row #(.Lanes(Lanes)) u_add (.en_i(adding), .a_i(acc), .b_i(x_q), .y_o(sum));
  dma_fma_row #(.Lanes(Lanes)) u_fma (
    .en_i    (multiplying),
    .scale_i (beat2_i.scale),
    .x_i     (x_q),
    .c_i     (acc),
    .y_o     (product)
  );

  always_comb begin
    ordered = '0;
    if (ordering) row_order(greatest, acc, x_q, ordered);
  end
  assign result = ordering ? ordered : multiplying ? product : sum;

  always_ff @(posedge clk_i) begin
    if (beat2_i.lanes) begin
      result_q <= result;
      if (pair2) begin
        even[place] <= result[511:0];
        odd[place]  <= result[1023:512];
      end else if (beat2_i.row[0]) begin
        odd[place] <= result[511:0];
      end else begin
        even[place] <= result[511:0];
      end
    end
  end

  // Stage 3.
  task automatic row_to_fp16(`TERN_ROW_IN row_t x, output row_t y);
    // verilator no_inline_task
    logic [31:0] xi, abs, field, sig, drop, kept, half, base;
    logic        normal;
    for (int unsigned i = 0; i < Lanes; i++) begin
      xi     = x[i*32+:32];
      abs    = xi & 32'h7FFF_FFFF;
      field  = abs >> 23;
      normal = field >= 32'd113;  // 2^-14
      sig    = normal ? abs - 32'h3800_0000 : (abs & 32'h007F_FFFF) | 32'h0080_0000;
      drop   = normal ? 32'd13 : 32'd126 - field;
      drop   = (drop > 32'd25) ? 32'd25 : drop;  // Below half of 2^-24: zero
      kept   = sig >> drop[4:0];
      half   = (32'd1 << (drop[4:0] - 5'd1)) - 32'd1 + (kept & 32'd1);
      base   = (sig + half) >> drop[4:0];
      base   = (abs >= 32'h4780_0000) ? 32'h7C00 : base;  // 2^16; below it, rounding carries
      y[i*32+:32] = (abs > fp_pkg::Fp32Inf) ? 32'h7E00 : base | ((xi >> 16) & 32'h8000);
    end
  endtask

  task automatic row_gather(`TERN_ROW_IN row_t x, output logic [511:0] y);
    // verilator no_inline_task
    for (int unsigned i = 0; i < 16; i++) begin
      y[i*32+:32] = (x[i*64+:32] & 32'hFFFF) | (x[i*64+32+:32] << 16);
    end
  endtask

  logic dst3_fp16, dst3_bf16;
  row_t bf16, fp16;
  assign dst3_fp16 = beat3_i.lanes && beat3_i.dst_dtype == dma_spec_pkg::DtypeFp16;
  assign dst3_bf16 = beat3_i.lanes && beat3_i.dst_dtype == dma_spec_pkg::DtypeBf16;
  bf16_round_row #(.Lanes(Lanes), .Groups(1)) u_bf16 (
    .en_i         (dst3_bf16),
    .stochastic_i (1'b0),
    .x_i          (result_q),
    .draw_i       ({Lanes{32'd0}}),
    .y_o          (bf16)
  );

  logic [511:0] narrow;
  always_ff @(posedge clk_i) begin
    if (dst3_bf16) begin
      row_gather(bf16, narrow);
      data_o <= narrow;
    end else if (dst3_fp16) begin
      row_to_fp16(result_q, fp16);
      row_gather(fp16, narrow);
      data_o <= narrow;
    end else if (beat3_i.lanes) begin
      data_o <= result_q[511:0];
    end
  end
endmodule
