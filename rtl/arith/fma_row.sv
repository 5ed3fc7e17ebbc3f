// SPDX-License-Identifier: Apache-2.0
// One row of fused multiply-adds with its result register: acc_o <= active_i ? fma(a, w, c) : c in
// every lane, Stages cycles later. This is exactly IEEE 754 binary32 fma with one rounding to
// nearest even: subnormals are kept, NaN results are canonical.
//
// The lanes work in four column groups. The moving factor a of a column group is one of four words;
// if sparse_i, the weight of each lane chooses it among sixteen. The words arrive in the format of
// memory and are recoded here, in the clocked block: the simulator evaluates unclocked logic that
// depends on SBUF data three times a cycle.
//
// SplitPaths chooses between two forms with the same results. 1, for simulation: the whole row is
// computed at once, the common case by a path of its own, and waits for its cycle. 0, for
// synthesis: one data path in each lane, with registers between its steps (fma_lane).
`include "tern_row.svh"
`include "tern_trace.svh"

module fma_row #(
  parameter int unsigned Lanes      = 128,
  parameter int unsigned Stages     = 1,  // 1, 3 or 5: cycles from operands to result
  parameter bit          SplitPaths = `TERN_SPLIT_PATHS
) (
  input  logic               clk_i,
  input  logic         [3:0] en_i,      // Column groups that take a result this cycle
  input  logic         [3:0] active_i,  // Otherwise pass c through untouched
  input  logic               single_i,  // All column groups work, with word 0
  input  logic               sparse_i,
  input  logic         [7:0] pick_i,    // Which word, two bits per column group
  input  logic         [2:0] form0_i,   // Format of word 0 (tensor_pkg)
  input  logic        [11:0] form_i,    // Format of each word
  input  logic       [127:0] a_i,
  `TERN_LANES
  input  logic       [511:0] window_i,  // sparse_i: the sixteen words, of the format of word 0
  input  logic [Lanes*32-1:0] w_i,       // One operand per lane, common form of fp_pkg
  input  logic [Lanes*32-1:0] c_i,       // Addend, binary32
  output logic [Lanes*32-1:0] acc_o      // Result, binary32
  `TERN_LANES_END
);
  localparam int unsigned GroupLanes = Lanes / 4;
  localparam int unsigned GroupW     = GroupLanes * 32;
  typedef logic [Lanes*32-1:0] row_t;

  // The common case: one moving factor for the whole row. NaN is rare, and looked for only if a
  // lane has what it takes.
  task automatic row_fma(input logic [31:0] a, `TERN_ROW_IN row_t w, `TERN_ROW_IN row_t c,
                         output row_t y);
    // verilator no_inline_task
    logic [31:0] wi, ci, odd;
    odd = 32'd0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      wi  = w[i*32+:32];
      ci  = c[i*32+:32];
      odd = odd | (a & wi & fp_pkg::RecFlags)
          | (((ci & fp_pkg::Fp32Inf) == fp_pkg::Fp32Inf) ? 32'd1 : 32'd0);
      y[i*32+:32] = fma_pkg::lane_fma(a, wi, ci);
    end
    if (odd != 32'd0) begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        if (fma_pkg::lane_nan(a, w[i*32+:32], c[i*32+:32])) y[i*32+:32] = fp_pkg::Fp32Nan;
      end
    end
  endtask

  // A factor for each lane.
  task automatic row_fma_each(`TERN_ROW_IN row_t a, `TERN_ROW_IN row_t w, `TERN_ROW_IN row_t c,
                              output row_t y);
    // verilator no_inline_task
    logic [31:0] ai, wi, ci;
    for (int unsigned i = 0; i < Lanes; i++) begin
      ai = a[i*32+:32];
      wi = w[i*32+:32];
      ci = c[i*32+:32];
      y[i*32+:32] = fma_pkg::lane_nan(ai, wi, ci) ? fp_pkg::Fp32Nan : fma_pkg::lane_fma(ai, wi, ci);
    end
  endtask

  // The weight's bits 26:23 are the position of its partner in the window.
  task automatic row_choose(`TERN_ROW_IN logic [511:0] window, `TERN_ROW_IN row_t w,
                            output row_t y);
    // verilator no_inline_task
    logic [31:0] wi, lo, hi, b0, b1, b2, b3;
    for (int unsigned i = 0; i < Lanes; i++) begin
      wi = w[i*32+:32];
      b0 = wi & 32'h0080_0000;
      b1 = wi & 32'h0100_0000;
      b2 = wi & 32'h0200_0000;
      b3 = wi & 32'h0400_0000;
      lo = (b2 == 32'd0)
         ? ((b1 == 32'd0) ? ((b0 == 32'd0) ? window[0*32+:32] : window[1*32+:32])
                          : ((b0 == 32'd0) ? window[2*32+:32] : window[3*32+:32]))
         : ((b1 == 32'd0) ? ((b0 == 32'd0) ? window[4*32+:32] : window[5*32+:32])
                          : ((b0 == 32'd0) ? window[6*32+:32] : window[7*32+:32]));
      hi = (b2 == 32'd0)
         ? ((b1 == 32'd0) ? ((b0 == 32'd0) ? window[8*32+:32] : window[9*32+:32])
                          : ((b0 == 32'd0) ? window[10*32+:32] : window[11*32+:32]))
         : ((b1 == 32'd0) ? ((b0 == 32'd0) ? window[12*32+:32] : window[13*32+:32])
                          : ((b0 == 32'd0) ? window[14*32+:32] : window[15*32+:32]));
      y[i*32+:32] = (b3 == 32'd0) ? lo : hi;
    end
  endtask

  // Selects the addend or the sum, lane by lane.
  task automatic row_merge(input logic [3:0] adding, input logic sparse, `TERN_ROW_IN row_t w,
                           `TERN_ROW_IN row_t c, `TERN_ROW_IN row_t sum, output row_t y);
    // verilator no_inline_task
    logic [31:0] wi, added;
    for (int unsigned i = 0; i < Lanes; i++) begin
      wi    = w[i*32+:32];
      added = ({28'd0, adding} >> (i / GroupLanes)) & 32'd1;
      // A sparse weight without a partner leaves the addend unchanged.
      added = (sparse && wi[fp_pkg::RecSkipBit]) ? 32'd0 : added;
      y[i*32+:32] = (added == 32'd0) ? c[i*32+:32] : sum[i*32+:32];
    end
  endtask

  // The factor of each lane: the word of its column group, or what its weight chooses.
  task automatic row_factor(input logic sparse, input logic [7:0] pick, input logic [11:0] forms,
                            input logic [127:0] a, `TERN_ROW_IN logic [511:0] window,
                            `TERN_ROW_IN row_t w, output row_t factor);
    // verilator no_inline_task
    logic [511:0] words;
    logic [127:0] group;
    logic [1:0]   word;
    if (sparse) begin
      for (int unsigned i = 0; i < 16; i++) begin
        words[i*32+:32] = tensor_operand_pkg::moving(window[i*32+:32], forms[2:0]);
      end
      row_choose(words, w, factor);
    end else begin
      for (int unsigned j = 0; j < 4; j++) begin
        word            = pick[2*j+:2];
        group[j*32+:32] = tensor_operand_pkg::moving(a[word*32+:32], forms[word*3+:3]);
      end
      factor = {{GroupLanes{group[127:96]}}, {GroupLanes{group[95:64]}},
                {GroupLanes{group[63:32]}}, {GroupLanes{group[31:0]}}};
    end
  endtask

  // All cases but the common one.
  task automatic row_mixed(input logic [3:0] adding, input logic sparse, input logic [7:0] pick,
                           input logic [11:0] forms, input logic [127:0] a,
                           `TERN_ROW_IN logic [511:0] window, `TERN_ROW_IN row_t w,
                           `TERN_ROW_IN row_t c, output row_t y);
    // verilator no_inline_task
    row_t factor, sum;
    row_factor(sparse, pick, forms, a, window, w, factor);
    row_fma_each(factor, w, c, sum);
    row_merge(adding, sparse, w, c, sum, y);
  endtask

  if (SplitPaths) begin : gen_split
    `TERN_LANES
    row_t acc_q, result, mixed;
    `TERN_LANES_END

    // Evaluated only for rows that work: an idle array costs the simulator nothing.
    always_ff @(posedge clk_i) begin
      if (en_i == 4'hF && active_i == 4'd0) begin
        acc_q <= c_i;
      end else if (single_i && !sparse_i) begin
        row_fma(tensor_operand_pkg::moving(a_i[31:0], form0_i), w_i, c_i, result);
        acc_q <= result;
      end else if (en_i != 4'd0) begin
        row_mixed(active_i, sparse_i, pick_i, form_i, a_i, window_i, w_i, c_i, mixed);
        for (int unsigned j = 0; j < 4; j++) begin
          if (en_i[j]) acc_q[j*GroupW+:GroupW] <= mixed[j*GroupW+:GroupW];
        end
      end
    end

    if (Stages == 1) begin : gen_now
      assign acc_o = acc_q;
    end else begin : gen_later
      for (genvar j = 0; j < 4; j++) begin : gen_group
        tern_delay #(
          .Width (GroupW),
          .Cycles(Stages - 1)
        ) u_delay (
          .clk_i  (clk_i),
          .valid_i(en_i[j]),
          .data_i (acc_q[j*GroupW+:GroupW]),
          .data_o (acc_o[j*GroupW+:GroupW])
        );
      end
    end
  end else begin : gen_lanes
    `TERN_LANES
    row_t factor;
    `TERN_LANES_END

    always_comb row_factor(sparse_i, pick_i, form_i, a_i, window_i, w_i, factor);

    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      fma_lane #(
        .Stages(Stages)
      ) u_lane (
        .clk_i(clk_i),
        .en_i (en_i[i/GroupLanes]),
        // A sparse weight without a partner leaves the addend unchanged.
        .add_i(active_i[i/GroupLanes] && !(sparse_i && w_i[i*32+fp_pkg::RecSkipBit])),
        .a_i  (factor[i*32+:32]),
        .w_i  (w_i[i*32+:32]),
        .c_i  (c_i[i*32+:32]),
        .acc_o(acc_o[i*32+:32])
      );
    end
  end
endmodule
