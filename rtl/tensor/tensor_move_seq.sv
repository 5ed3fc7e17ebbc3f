// SPDX-License-Identifier: Apache-2.0
// Sequencer of MultiplyMoving: one moving column a cycle into the first row, addresses from a 2-D
// pattern. Registered: start in cycle t gives columns 0 .. N-1 in cycles t+1 .. t+N.
module tensor_move_seq #(
  parameter int unsigned MinInterval = 64
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   start_i,
  input  tensor_pkg::cmd_t       cmd_i,
  input  logic            [15:0] moving_i,  // N
  input  logic                   swap_i,    // new weights with the first column
  output logic                   free_o,    // start_i may be set: pattern done and interval over
  output tensor_pkg::move_wave_t wave_o
);
  typedef logic [tensor_pkg::AddrW-2:0] address_t;
  localparam int unsigned IntervalW = (MinInterval > 1) ? $clog2(MinInterval) : 1;

  logic [15:0] left_d, left_q;          // columns still to send, this cycle's included
  // Elements left in the inner dimension, this cycle's included.
  logic [15:0] inner_d, inner_q;
  logic [15:0] num0_d, num0_q;
  address_t    step0_d, step0_q, step1_d, step1_q;
  address_t    outer_d, outer_q;        // start of the current inner run
  logic [IntervalW-1:0] wait_d, wait_q; // cycles until the next start
  tensor_pkg::move_wave_t wave_d, wave_q;

  assign free_o = (left_q <= 16'd1) && (wait_q == '0);

  always_comb begin
    left_d  = left_q;
    inner_d = inner_q;
    num0_d  = num0_q;
    step0_d = step0_q;
    step1_d = step1_q;
    outer_d = outer_q;
    wave_d  = wave_q;
    wait_d  = (wait_q == '0) ? '0 : wait_q - 1'b1;
    if (start_i) begin
      left_d         = moving_i;
      inner_d        = cmd_i.num0;
      num0_d         = cmd_i.num0;
      step0_d        = address_t'(cmd_i.step0);
      step1_d        = address_t'(cmd_i.step1);
      outer_d        = cmd_i.address[tensor_pkg::AddrW-1:1];
      wait_d         = IntervalW'(MinInterval - 1);
      wave_d.valid   = 1'b1;
      wave_d.swap    = swap_i;
      wave_d.is_fp16 = cmd_i.dtype == tern_spec_pkg::DtypeFp16;
      wave_d.address = cmd_i.address[tensor_pkg::AddrW-1:1];
      wave_d.skip    = cmd_i.row_start;
      wave_d.left    = cmd_i.rows;
    end else if (left_q != 16'd0) begin
      left_d       = left_q - 16'd1;
      wave_d.valid = left_q != 16'd1;
      wave_d.swap  = 1'b0;
      if (inner_q == 16'd1) begin
        inner_d        = num0_q;
        outer_d        = outer_q + step1_q;
        wave_d.address = outer_q + step1_q;
      end else begin
        inner_d        = inner_q - 16'd1;
        wave_d.address = wave_q.address + step0_q;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      inner_q <= '0;
      num0_q  <= '0;
      step0_q <= '0;
      step1_q <= '0;
      outer_q <= '0;
      wait_q  <= '0;
      wave_q  <= '0;
    end else begin
      left_q  <= left_d;
      inner_q <= inner_d;
      num0_q  <= num0_d;
      step0_q <= step0_d;
      step1_q <= step1_d;
      outer_q <= outer_d;
      wait_q  <= wait_d;
      wave_q  <= wave_d;
    end
  end

  assign wave_o = wave_q;
endmodule
