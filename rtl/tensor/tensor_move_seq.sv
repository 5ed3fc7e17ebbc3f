// SPDX-License-Identifier: Apache-2.0
// Sequencer of MultiplyMoving for one entry of array A: one moving column a cycle, addresses from a
// 2-D pattern. Registered: start in cycle t gives columns 0 .. N-1 in cycles t+1 .. t+N.
module tensor_move_seq (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      start_i,
  input  tensor_pkg::move_wave_t    wave_i,     // First column
  input  tensor_ctrl_pkg::pattern_t pattern_i,  // In 2-byte words
  output tensor_pkg::move_wave_t    wave_o
);
  tensor_pkg::move_wave_t wave_q;
  logic [tensor_pkg::AddrW-2:0] outer_q, next;  // Start of the current inner run; next column
  logic [tensor_pkg::AddrW-1:0] step;
  logic run, last, outer;

  tensor_pattern u_pattern (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .start_i  (start_i),
    .pattern_i(pattern_i),
    .run_o    (run),
    .last_o   (last),
    .outer_o  (outer),
    .step_o   (step)
  );

  assign next = (outer ? outer_q : wave_q.address) + step[tensor_pkg::AddrW-2:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wave_q  <= '0;
      outer_q <= '0;
    end else if (start_i) begin
      wave_q  <= wave_i;
      outer_q <= wave_i.address;
    end else if (run) begin
      wave_q.valid   <= !last;
      wave_q.swap    <= 1'b0;
      wave_q.address <= next;
      if (outer) outer_q <= next;
    end
  end

  assign wave_o = wave_q;
endmodule
