// SPDX-License-Identifier: Apache-2.0
// One of the four lanes of move waves, in all rows of array A. A wave travels down one row every
// Stages cycles, counted down. It drives the column groups of its mask: one wave all four, or
// several side by side (column tiles) one or two each, of different lanes.
//
// Packed words of all rows and one loop, not a module for each row: the simulator has the same few
// instructions for every row, and none while nothing passes.
`include "tern_row.svh"

module tensor_wave_lane #(
  parameter int unsigned Rows   = 128,
  parameter int unsigned Lane   = 0,
  parameter int unsigned Stages = 1
) (
  input  logic                                  clk_i,
  input  logic                                  rst_ni,
  input  logic [3:0][tensor_pkg::MoveWaveW-1:0] enter_i,    // Reaches row group g: move_wave_t
  // Of every row, with the data: one cycle after the wave reached it. tensor_wave_pkg.
  output logic [Rows*32-1:0]                    control_o,
  // Of every row, in the cycle in which the wave reaches the next one
  output logic [Rows*32-1:0]                    what_o,
  output logic [Rows*32-1:0]                    where_o,
  output logic [Rows*32-1:0]                    swap_o      // Column groups with new weights below
);
  localparam int unsigned GroupRows = Rows / 4;
  typedef logic [Rows*32-1:0] words_t;

  // The waves of this cycle go to the next rows, with what they do there.
  task automatic row_step(`TERN_ROW_IN words_t what, `TERN_ROW_IN words_t where,
                          input logic [127:0] enter_what, input logic [127:0] enter_where,
                          input logic [31:0] lane, output words_t what_next,
                          output words_t where_next, output words_t control, output words_t swap,
                          output logic busy);
    // verilator no_inline_task
    logic [31:0] wave, any;
    for (int unsigned i = 1; i < Rows; i++) begin
      what_next[i*32+:32]  = what[(i-1)*32+:32];
      where_next[i*32+:32] = where[(i-1)*32+:32];
    end
    for (int unsigned g = 0; g < 4; g++) begin
      what_next[g*GroupRows*32+:32]  = enter_what[g*32+:32];
      where_next[g*GroupRows*32+:32] = enter_where[g*32+:32];
    end
    any = 32'd0;
    for (int unsigned i = 0; i < Rows; i++) begin
      wave = what_next[i*32+:32];
      any  = any | wave;
      control[i*32+:32]    = tensor_wave_pkg::control(wave, where_next[i*32+:32], lane);
      swap[i*32+:32]       = tensor_wave_pkg::swap(wave);
      where_next[i*32+:32] = tensor_wave_pkg::step_where(wave, where_next[i*32+:32]);
      what_next[i*32+:32]  = tensor_wave_pkg::step_what(wave);
    end
    busy = any[tensor_wave_pkg::ValidBit];
  endtask

  logic         enters, busy, busy_q, wait_busy;
  logic [127:0] enter_what, enter_where;
  words_t       what, where, swap;
  words_t       what_q, where_q, control_q, swap_q, what_d, where_d, control_d, swap_d;

  always_comb begin
    enters = 1'b0;
    for (int unsigned g = 0; g < 4; g++) begin
      enter_what[g*32+:32]  = tensor_wave_pkg::to_what(enter_i[g]);
      enter_where[g*32+:32] = tensor_wave_pkg::to_where(enter_i[g]);
      enters = enters || enter_what[g*32+tensor_wave_pkg::ValidBit];
    end
  end

  // Idle while nothing passes: most lanes are.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      what_q    <= '0;
      where_q   <= '0;
      control_q <= '0;
      swap_q    <= '0;
      busy_q    <= 1'b0;
    end else if (enters || busy_q || wait_busy) begin
      row_step(what, where, enter_what, enter_where, Lane, what_d, where_d, control_d, swap_d,
               busy);
      what_q    <= what_d;
      where_q   <= where_d;
      control_q <= control_d;
      swap_q    <= swap_d;
      busy_q    <= busy;
    end
  end

  if (Stages == 1) begin : gen_now
    assign what      = what_q;
    assign where     = where_q;
    assign swap      = swap_q;
    assign wait_busy = 1'b0;
  end else begin : gen_later
    tensor_row_wait #(
      .Width (3 * Rows * 32),
      .Cycles(Stages - 1)
    ) u_wait (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .busy_i(busy_q),
      .data_i({what_q, where_q, swap_q}),
      .busy_o(wait_busy),
      .data_o({what, where, swap})
    );
  end

  assign what_o    = what;
  assign where_o   = where;
  assign swap_o    = swap;
  assign control_o = control_q;
endmodule
