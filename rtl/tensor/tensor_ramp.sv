// SPDX-License-Identifier: Apache-2.0
// Limits how fast the current of the arrays rises: for a time after rest, a multiply takes longer.
// Rules: README.md, "Ramp".
module tensor_ramp #(
  parameter int unsigned Rows = 128,
  parameter int unsigned Cols = 128
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] window_i,   // Cycles; 0: no ramp
  // The multiply at the head of the queue
  input  logic [15:0] columns_i,
  input  logic [31:0] work_i,     // Its columns x rows x columns of the array
  input  logic        start_i,    // It issues
  output logic [15:0] interval_o  // Cycles for which its columns keep their cells
);
  // A window of time runs, its cycle, whether it is a ramp, and the work that issued in it.
  logic        running_q, ramp_q, running_d, ramp_d, well_used, last;
  logic [15:0] elapsed_q, elapsed_d, quarter;
  logic [31:0] work_q, work_d;
  logic  [3:0] more;

  // At rest the next multiply begins a ramp.
  assign running_d = running_q || start_i;
  assign ramp_d    = running_q ? ramp_q : 1'b1;
  assign elapsed_d = running_q ? elapsed_q : 16'd0;
  assign work_d    = (running_q ? work_q : 32'd0) + (start_i ? work_i : 32'd0);
  assign last      = elapsed_d == window_i - 16'd1;
  assign well_used = {1'b0, work_d} << 1 >= 33'(window_i) * 33'(Rows * Cols);

  assign quarter    = window_i >> 2;
  assign more       = (window_i == 16'd0 || !ramp_d)      ? 4'd0 :
                      (elapsed_d < quarter)               ? tensor_pkg::Ramp0 :
                      (elapsed_d < (window_i >> 1))       ? tensor_pkg::Ramp1 :
                      (elapsed_d < (window_i - quarter))  ? tensor_pkg::Ramp2 :
                                                            tensor_pkg::Ramp3;
  assign interval_o = columns_i + 16'((20'(columns_i) * 20'(more)) >> 4);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      ramp_q    <= 1'b0;
      elapsed_q <= '0;
      work_q    <= '0;
    end else if (running_d && window_i != 16'd0) begin
      running_q <= !last || well_used;
      ramp_q    <= !last && ramp_d;
      elapsed_q <= last ? 16'd0 : elapsed_d + 16'd1;
      work_q    <= last ? 32'd0 : work_d;
    end
  end
endmodule
