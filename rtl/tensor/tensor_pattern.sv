// SPDX-License-Identifier: Apache-2.0
// Walks the 2-D pattern of a MultiplyMoving, one column a cycle. Start in cycle t gives columns
// 0 .. N-1 in cycles t+1 .. t+N. The next column is step_o after this one or, if that begins an
// inner run (outer_o), after the beginning of the current run.
module tensor_pattern (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         start_i,
  input  tensor_ctrl_pkg::pattern_t    pattern_i,
  output logic                         run_o,   // A column is sent in this cycle
  output logic                         last_o,  // It is the last one
  output logic                         outer_o,
  output logic [tensor_pkg::AddrW-1:0] step_o
);
  logic [15:0] left_q;   // Columns still to send, including this cycle's
  logic [15:0] inner_q;  // Of the inner run likewise
  logic [15:0] num0_q;
  logic [tensor_pkg::AddrW-1:0] step0_q, step1_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      inner_q <= '0;
      num0_q  <= '0;
      step0_q <= '0;
      step1_q <= '0;
    end else if (start_i) begin
      left_q  <= pattern_i.columns;
      inner_q <= pattern_i.num0;
      num0_q  <= pattern_i.num0;
      step0_q <= pattern_i.step0;
      step1_q <= pattern_i.step1;
    end else if (left_q != 16'd0) begin
      left_q  <= left_q - 16'd1;
      inner_q <= outer_o ? num0_q : inner_q - 16'd1;
    end
  end

  assign run_o   = left_q != 16'd0;
  assign last_o  = left_q == 16'd1;
  assign outer_o = inner_q == 16'd1;
  assign step_o  = outer_o ? step1_q : step0_q;
endmodule
