// SPDX-License-Identifier: Apache-2.0
// The drain waves of transposes in all rows of array A: they travel down one row every Stages
// cycles, counted down. As tensor_wave_lane, packed words of all rows and one loop.
`include "tern_row.svh"

module tensor_drain_rows #(
  parameter int unsigned Rows   = 128,
  parameter int unsigned Stages = 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  tensor_pkg::drain_wave_t      drain_i,
  // One cycle after the wave reached a row
  output logic [Rows-1:0]              valid_o,
  output logic [Rows-1:0]              hit_o,        // This row's weights go to the bus
  // The wave below the last row
  output logic                         last_valid_o,
  output logic [tensor_pkg::SlotW-1:0] last_slot_o
);
  typedef logic [Rows*32-1:0] words_t;

  // Words of a row: 31 valid, 11:8 slot, 7:0 rows above the one to drain
  task automatic row_step(`TERN_ROW_IN words_t drain, input logic [31:0] enter, output words_t y,
                          output logic [Rows-1:0] valid, output logic [Rows-1:0] hit);
    // verilator no_inline_task
    logic [31:0] wave;
    for (int unsigned i = 0; i < Rows; i++) begin
      wave     = (i == 0) ? enter : drain[(i-1)*32+:32];
      valid[i] = wave[31];
      hit[i]   = wave[31] && wave[7:0] == 8'd0;
      y[i*32+:32] = (wave & 32'hFFFF_FF00) | ((wave - 32'd1) & 32'hFF);
    end
  endtask

  words_t          drain, drain_q, drain_d;  // drain: in the cycle in which they reach the next row
  logic [Rows-1:0] valid_q, valid_d, hit_q, hit_d;
  logic            wait_busy;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      drain_q <= '0;
      valid_q <= '0;
      hit_q   <= '0;
    end else if (drain_i.valid || valid_q != '0 || wait_busy) begin
      row_step(drain, {drain_i.valid, 19'd0, drain_i.slot, drain_i.row}, drain_d, valid_d, hit_d);
      drain_q <= drain_d;
      valid_q <= valid_d;
      hit_q   <= hit_d;
    end
  end

  if (Stages == 1) begin : gen_now
    assign drain     = drain_q;
    assign wait_busy = 1'b0;
  end else begin : gen_later
    tensor_row_wait #(
      .Width (Rows * 32),
      .Cycles(Stages - 1)
    ) u_wait (
      .clk_i (clk_i),
      .rst_ni(rst_ni),
      .busy_i(valid_q != '0),
      .data_i(drain_q),
      .busy_o(wait_busy),
      .data_o(drain)
    );
  end

  assign valid_o      = valid_q;
  assign hit_o        = hit_q;
  assign last_valid_o = drain[(Rows-1)*32+31];
  assign last_slot_o  = drain[(Rows-1)*32+8+:4];
endmodule
