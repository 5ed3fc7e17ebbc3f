// SPDX-License-Identifier: Apache-2.0
// Quad mode, one slot of a quadrant (four blocks): its sums continue from block to block, unrounded
// and Stages cycles apart. After the last one they are scaled, rounded and added to the slot's own
// chain. The scales of slot s are those of block s. Everything here happens from cycle q + 2 of the
// respective block on (tensor_mx_block). The adders are not those of the blocks: a multiply of
// another mode that follows without a gap needs them in the same cycles.
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_mx_quad_slot #(
  parameter int unsigned Cols       = 128,
  parameter int unsigned Slot       = 0,
  parameter int unsigned Stages     = 1,
  parameter bit          SplitPaths = `TERN_SPLIT_PATHS
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [3:0]            valid_i,     // By block: the sums of a quad column
  input  logic [3:0]            special_i,   // By block: the flags count
  input  logic                  active_i,    // With valid_i[3]: the quadrant belongs to the tile
  input  logic                  swap_i,      // One cycle before valid_i[3]: new weights
  input  logic [7:0]            scale_i,     // Of the moving operand, with valid_i[Slot]
  `TERN_LANES
  input  logic [Cols*32-1:0]    scales_i,    // Of the stationary operand, with valid_i[Slot]
  input  logic [4*Cols*32-1:0]  sum0_i,      // Of block 0, see mx_dot_row
  input  logic [4*Cols*32-1:0]  sum1_i,
  input  logic [4*Cols*32-1:0]  sum2_i,
  input  logic [4*Cols*32-1:0]  sum3_i,
  input  logic [Cols*32-1:0]    flags0_i,
  input  logic [Cols*32-1:0]    flags1_i,
  input  logic [Cols*32-1:0]    flags2_i,
  input  logic [Cols*32-1:0]    flags3_i,
  input  logic [Cols*32-1:0]    acc_i,       // With valid_i[3]
  output logic [Cols*32-1:0]    result_o,    // Stages cycles after valid_i[3]
  output logic [Cols*32-1:0]    acc_o        // 4 * Stages after it, for the next quadrant
  `TERN_LANES_END
);
  // Running sums after each of the first three blocks: registered, and with the next block's.
  `TERN_LANES
  logic [4*Cols*32-1:0] run0_q, run1_q, run2_q, run0, run1, run2;
  logic [Cols*32-1:0]   flags0_q, flags1_q, flags2_q, flags0, flags1, flags2;
  `TERN_LANES_END
  logic special0_q, special1_q, special2_q, special0, special1, special2;

  always_ff @(posedge clk_i) begin
    if (valid_i[0]) begin
      run0_q     <= sum0_i;
      flags0_q   <= flags0_i;
      special0_q <= special_i[0];
    end
  end

  mx_run_row #(
    .Lanes(Cols)
  ) u_run1 (
    .clk_i      (clk_i),
    .en_i       (valid_i[1]),
    .a_special_i(special0),
    .b_special_i(special_i[1]),
    .a_i        (run0),
    .b_i        (sum1_i),
    .a_flags_i  (flags0),
    .b_flags_i  (flags1_i),
    .sum_o      (run1_q),
    .flags_o    (flags1_q),
    .special_o  (special1_q)
  );

  mx_run_row #(
    .Lanes(Cols)
  ) u_run2 (
    .clk_i      (clk_i),
    .en_i       (valid_i[2]),
    .a_special_i(special1),
    .b_special_i(special_i[2]),
    .a_i        (run1),
    .b_i        (sum2_i),
    .a_flags_i  (flags1),
    .b_flags_i  (flags2_i),
    .sum_o      (run2_q),
    .flags_o    (flags2_q),
    .special_o  (special2_q)
  );

  if (Stages == 1) begin : gen_now
    assign run0     = run0_q;
    assign run1     = run1_q;
    assign run2     = run2_q;
    assign flags0   = flags0_q;
    assign flags1   = flags1_q;
    assign flags2   = flags2_q;
    assign special0 = special0_q;
    assign special1 = special1_q;
    assign special2 = special2_q;
  end else begin : gen_later
    localparam int unsigned RunW = 5 * Cols * 32 + 1;

    tern_delay #(
      .Width (RunW),
      .Cycles(Stages - 1)
    ) u_delay0 (
      .clk_i  (clk_i),
      .valid_i(valid_i[0]),
      .data_i ({run0_q, flags0_q, special0_q}),
      .data_o ({run0, flags0, special0})
    );
    tern_delay #(
      .Width (RunW),
      .Cycles(Stages - 1)
    ) u_delay1 (
      .clk_i  (clk_i),
      .valid_i(valid_i[1]),
      .data_i ({run1_q, flags1_q, special1_q}),
      .data_o ({run1, flags1, special1})
    );
    tern_delay #(
      .Width (RunW),
      .Cycles(Stages - 1)
    ) u_delay2 (
      .clk_i  (clk_i),
      .valid_i(valid_i[2]),
      .data_i ({run2_q, flags2_q, special2_q}),
      .data_o ({run2, flags2, special2})
    );
  end

  // Scales wait for the last block. The moving one is delayed; the stationary ones are taken just
  // before their first use: weights swap every 3 * Stages cycles at most.
  logic [7:0] slot_scale;
  `TERN_LANES
  logic [Cols*32-1:0] slot_scales;
  `TERN_LANES_END

  if (Slot == 3) begin : gen_direct
    assign slot_scale  = scale_i;
    assign slot_scales = scales_i;
  end else begin : gen_wait
    localparam int unsigned WaitW = (3 - Slot) * Stages * 8;
    logic [WaitW-1:0] scale_q;  // The newest lowest
    `TERN_LANES
    logic [Cols*32-1:0] scales_q;
    `TERN_LANES_END

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        scale_q <= '0;
      end else begin
        scale_q <= WaitW'({scale_q, scale_i});
      end
    end

    always_ff @(posedge clk_i) begin
      if (swap_i) scales_q <= scales_i;
    end

    assign slot_scale  = scale_q[WaitW-1-:8];
    assign slot_scales = scales_q;
  end

  // The chain; more registers represent the three blocks before the next quadrant's last.
  logic valid_last;
  `TERN_LANES
  logic [Cols*32-1:0] chain;
  `TERN_LANES_END

  mx_chain_row #(
    .Lanes     (Cols),
    .Stages    (Stages),
    .SplitPaths(SplitPaths)
  ) u_chain (
    .clk_i    (clk_i),
    .en_i     (valid_i[3]),
    .active_i (active_i),
    .scale_i  (slot_scale),
    .special_i({2'b00, special_i[3], special2}),
    .a_i      (run2),
    .b_i      (sum3_i),
    .c_i      ('0),
    .d_i      ('0),
    .a_flags_i(flags2),
    .b_flags_i(flags3_i),
    .c_flags_i('0),
    .d_flags_i('0),
    .scales_i (slot_scales),
    .acc_i    (acc_i),
    .acc_o    (chain)
  );

  if (Stages == 1) begin : gen_valid
    assign valid_last = valid_i[3];
  end else begin : gen_valid_later
    logic [Stages-2:0] valid_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= (Stages-1)'({valid_q, valid_i[3]});
    end

    assign valid_last = valid_q[Stages-2];
  end

  `TERN_LANES
  tern_delay #(
    .Width (Cols * 32),
    .Cycles(3 * Stages)
  ) u_delay (
    .clk_i  (clk_i),
    .valid_i(valid_last),
    .data_i (chain),
    .data_o (acc_o)
  );
  `TERN_LANES_END

  assign result_o = chain;
endmodule
