// SPDX-License-Identifier: Apache-2.0
// The random generators of stochastic rounding: one XORWOW per lane. The state can be read and
// written by words, in cycles without a draw.
`include "tern_assert.svh"
`include "tern_trace.svh"

module tensor_psum_random #(
  parameter int unsigned Cols = 128
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Draws of this cycle, by lanes first .. first + lanes - 1; chained from port 0 on
  input  logic           [3:0] step_i,
  input  logic           [7:0] first_i,
  input  logic           [7:0] lanes_i,
  `TERN_LANES
  output logic [4*Cols*32-1:0] draw_o,
  `TERN_LANES_END
  // Access to one of the six words of lanes start .. start + count - 1
  input  logic                 access_valid_i,
  input  logic                 access_write_i,
  input  logic           [2:0] access_word_i,
  input  logic           [7:0] access_start_i,
  input  logic           [7:0] access_count_i,
  `TERN_LANES
  input  logic   [Cols*32-1:0] access_wdata_i,
  output logic   [Cols*32-1:0] access_rdata_o  // One cycle later
  `TERN_LANES_END
);
  typedef logic [Cols*32-1:0] row_t;
  typedef logic [6*Cols*32-1:0] state_t;

  // A mixer of 32 bits (the finaliser of MurmurHash3): unlike seeds in every word.
  function automatic logic [31:0] mix(input logic [31:0] seed);
    logic [31:0] h;
    h = seed;
    h = (h ^ (h >> 16)) * 32'h85EB_CA6B;
    h = (h ^ (h >> 13)) * 32'hC2B2_AE35;
    mix = h ^ (h >> 16);
  endfunction

  task automatic row_write(input row_t old_row, input row_t new_row, input logic [31:0] start,
                           input logic [31:0] count, output row_t y);
    // verilator no_inline_task
    logic [31:0] lane, old_word, new_word;
    for (int unsigned i = 0; i < Cols; i++) begin
      lane     = i - start;
      old_word = old_row[i*32+:32];
      new_word = new_row[i*32+:32];
      y[i*32+:32] = (lane < count) ? new_word : old_word;
    end
  endtask

  `TERN_LANES
  state_t state_q, reset_state, stepped;
  row_t   written, rdata_q;
  `TERN_LANES_END

  for (genvar k = 0; k < 6; k++) begin : gen_word
    for (genvar i = 0; i < Cols; i++) begin : gen_lane
      assign reset_state[(k*Cols+i)*32+:32] = mix(6 * i + k + 1);
    end
  end

  xorwow_row #(
    .Lanes(Cols), .Draws(4)
  ) u_step (
    .step_i (step_i),
    .first_i(first_i),
    .lanes_i(lanes_i),
    .state_i(state_q),
    .state_o(stepped),
    .draw_o (draw_o)
  );

  always_comb begin
    written = '0;
    if (access_valid_i && access_write_i) begin
      row_write(state_q[32'(access_word_i)*Cols*32+:Cols*32], access_wdata_i,
                32'(access_start_i), 32'(access_count_i), written);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= reset_state;
    end else if (step_i != 4'd0) begin
      state_q <= stepped;
    end else if (access_valid_i && access_write_i) begin
      state_q[32'(access_word_i)*Cols*32+:Cols*32] <= written;
    end
  end

  always_ff @(posedge clk_i) begin
    if (access_valid_i && !access_write_i) rdata_q <= state_q[32'(access_word_i)*Cols*32+:Cols*32];
  end

  assign access_rdata_o = rdata_q;

  `TERN_ASSERT(AccessAlone, !(access_valid_i && step_i != 4'd0))
  `TERN_ASSERT(AccessInside, !access_valid_i || access_word_i < 3'd6)
endmodule
