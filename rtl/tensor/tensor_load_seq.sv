// SPDX-License-Identifier: Apache-2.0
// Sequencer of LoadStationary: four columns a cycle into the first row. Registered: start in cycle
// s gives groups 0 .. L-1 in cycles s+1 .. s+L.
module tensor_load_seq (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   start_i,
  input  tensor_pkg::cmd_t       cmd_i,
  output logic                   free_o,  // start_i may be set: idle, or in the last group
  output logic                   idle_o,
  output tensor_pkg::load_wave_t wave_o
);
  logic [5:0] left_d, left_q;  // groups still to send, this cycle's included
  tensor_pkg::load_wave_t wave_d, wave_q;

  assign free_o = left_q <= 6'd1;
  assign idle_o = left_q == 6'd0;

  always_comb begin
    left_d = left_q;
    wave_d = wave_q;
    if (start_i) begin
      left_d         = 6'((9'(cmd_i.cols) + 9'd3) >> 2);
      wave_d.valid   = 1'b1;
      wave_d.is_fp16 = cmd_i.dtype == tern_spec_pkg::DtypeFp16;
      wave_d.group   = 5'd0;
      wave_d.address = cmd_i.address[tensor_pkg::AddrW-1:3];
      wave_d.skip    = cmd_i.row_start;
      wave_d.left    = cmd_i.rows;
    end else if (left_q != 6'd0) begin
      left_d         = left_q - 6'd1;
      wave_d.valid   = left_q != 6'd1;
      wave_d.group   = wave_q.group + 5'd1;
      wave_d.address = wave_q.address + 1'b1;
    end
    wave_d.last = left_d == 6'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      wave_q <= '0;
    end else begin
      left_q <= left_d;
      wave_q <= wave_d;
    end
  end

  assign wave_o = wave_q;
endmodule
