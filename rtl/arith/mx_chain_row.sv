// SPDX-License-Identifier: Apache-2.0
// One step of a chain of blocks for one row, with its result register: the exact sums of four terms
// (mx_dot_row) are added, scaled and rounded, t = round(B * 2^(sa - 127) * 2^(sb - 127)), and the
// accumulator becomes round(acc + t). Both roundings are to binary32, nearest even, with gradual
// underflow and overflow to infinity; an exact zero is +0. The result follows Stages cycles later.
//
// SplitPaths as in fma_row: 1, rows at once and flags only where there are any, for simulation; 0,
// one data path in each lane (mx_chain_lane), for synthesis.
`include "tern_row.svh"
`include "tern_trace.svh"

module mx_chain_row #(
  parameter int unsigned Lanes      = 128,
  parameter int unsigned Stages     = 1,  // 1, 3 or 5: cycles from operands to result
  parameter bit          SplitPaths = `TERN_SPLIT_PATHS
) (
  input  logic                  clk_i,
  input  logic                  en_i,       // acc_o takes a result this cycle
  input  logic                  active_i,   // Otherwise passes acc_i through untouched
  input  logic [7:0]            scale_i,    // Of the moving operand, the same for all lanes
  input  logic [3:0]            special_i,  // The flags of the term count
  `TERN_LANES
  input  logic [4*Lanes*32-1:0] a_i,        // Word k, lane i at k*Lanes + i
  input  logic [4*Lanes*32-1:0] b_i,
  input  logic [4*Lanes*32-1:0] c_i,
  input  logic [4*Lanes*32-1:0] d_i,
  input  logic [Lanes*32-1:0]   a_flags_i,  // mx_pkg::Flag*
  input  logic [Lanes*32-1:0]   b_flags_i,
  input  logic [Lanes*32-1:0]   c_flags_i,
  input  logic [Lanes*32-1:0]   d_flags_i,
  input  logic [Lanes*32-1:0]   scales_i,   // Of the stationary operand, a byte in each word
  input  logic [Lanes*32-1:0]   acc_i,
  output logic [Lanes*32-1:0]   acc_o
  `TERN_LANES_END
);
  typedef logic [Lanes*32-1:0] row_t;
  typedef logic [4*Lanes*32-1:0] sums_t;

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

  task automatic row_chain(`TERN_ROW_IN sums_t a, `TERN_ROW_IN sums_t b, `TERN_ROW_IN sums_t c,
                           `TERN_ROW_IN sums_t d, `TERN_ROW_IN row_t flags,
                           input logic [31:0] flags_mask, `TERN_ROW_IN row_t scales,
                           input logic [31:0] scale, `TERN_ROW_IN row_t acc, output row_t y);
    // verilator no_inline_task
    logic [31:0] word0, word1, word2, word3, t;
    for (int unsigned i = 0; i < Lanes; i++) begin
      // Word by word, no carries.
      word0 = a[i*32+:32] + b[i*32+:32] + c[i*32+:32] + d[i*32+:32];
      word1 = a[(1*Lanes+i)*32+:32] + b[(1*Lanes+i)*32+:32]
            + c[(1*Lanes+i)*32+:32] + d[(1*Lanes+i)*32+:32];
      word2 = a[(2*Lanes+i)*32+:32] + b[(2*Lanes+i)*32+:32]
            + c[(2*Lanes+i)*32+:32] + d[(2*Lanes+i)*32+:32];
      word3 = a[(3*Lanes+i)*32+:32] + b[(3*Lanes+i)*32+:32]
            + c[(3*Lanes+i)*32+:32] + d[(3*Lanes+i)*32+:32];
      t = mx_lane_pkg::lane_scale(word0, word1, word2, word3, flags[i*32+:32] & flags_mask,
                                  scales[i*32+:32], scale);
      y[i*32+:32] = fp_pkg::add(acc[i*32+:32], t);
    end
  endtask

  if (SplitPaths) begin : gen_split
    `TERN_LANES
    row_t acc_q, flags, result;
    `TERN_LANES_END

    // All in the clocked block: defaults of unclocked rows would cost the simulator as much as the
    // work. Flags are rare.
    always_ff @(posedge clk_i) begin
      if (en_i && !active_i) begin
        acc_q <= acc_i;
      end else if (en_i && special_i != 4'd0) begin
        row_flags(a_flags_i, b_flags_i, c_flags_i, d_flags_i, special_i, flags);
        row_chain(a_i, b_i, c_i, d_i, flags, 32'hFFFF_FFFF, scales_i, {24'd0, scale_i}, acc_i,
                  result);
        acc_q <= result;
      end else if (en_i) begin
        row_chain(a_i, b_i, c_i, d_i, a_flags_i, 32'd0, scales_i, {24'd0, scale_i}, acc_i, result);
        acc_q <= result;
      end
    end

    if (Stages == 1) begin : gen_now
      assign acc_o = acc_q;
    end else begin : gen_later
      tern_delay #(
        .Width (Lanes * 32),
        .Cycles(Stages - 1)
      ) u_delay (
        .clk_i  (clk_i),
        .valid_i(en_i),
        .data_i (acc_q),
        .data_o (acc_o)
      );
    end
  end else begin : gen_lanes
    `TERN_LANES
    row_t flags;
    `TERN_LANES_END

    always_comb row_flags(a_flags_i, b_flags_i, c_flags_i, d_flags_i, special_i, flags);

    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      logic [511:0] terms;

      for (genvar k = 0; k < 4; k++) begin : gen_word
        assign terms[0*128+k*32+:32] = a_i[(k*Lanes+i)*32+:32];
        assign terms[1*128+k*32+:32] = b_i[(k*Lanes+i)*32+:32];
        assign terms[2*128+k*32+:32] = c_i[(k*Lanes+i)*32+:32];
        assign terms[3*128+k*32+:32] = d_i[(k*Lanes+i)*32+:32];
      end

      mx_chain_lane #(
        .Stages(Stages)
      ) u_lane (
        .clk_i   (clk_i),
        .en_i    (en_i),
        .active_i(active_i),
        .scale_i (scale_i),
        .column_i(scales_i[i*32+:8]),
        .flag_i  (flags[i*32+:3]),
        .terms_i (terms),
        .acc_i   (acc_i[i*32+:32]),
        .acc_o   (acc_o[i*32+:32])
      );
    end
  end
endmodule
