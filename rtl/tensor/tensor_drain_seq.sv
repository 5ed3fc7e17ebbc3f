// SPDX-License-Identifier: Apache-2.0
// Sequencer for the output of a Transpose: once its L groups are in the array, one row a cycle
// leaves the shadow weights. Registered: start in cycle s gives rows row_start .. row_start+K-1 in
// cycles s+L+2 .. s+L+K+1.
module tensor_drain_seq (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         start_i,
  input  tensor_pkg::cmd_t             cmd_i,
  input  tensor_ctrl_pkg::plan_t       plan_i,
  input  logic [tensor_pkg::SlotW-1:0] slot_i,
  output tensor_pkg::drain_wave_t      drain_o
);
  logic [7:0] wait_q;  // Cycles before the one in which the first row is prepared
  logic [7:0] left_q;  // Rows to send, not counting this cycle's
  tensor_pkg::drain_wave_t wave_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q <= '0;
      left_q <= '0;
      wave_q <= '0;
    end else if (start_i) begin
      wait_q       <= plan_i.groups;
      left_q       <= cmd_i.rows;
      wave_q.valid <= 1'b0;
      wave_q.slot  <= slot_i;
      wave_q.row   <= cmd_i.row_start - 8'd1;
    end else if (wait_q != 8'd0) begin
      wait_q <= wait_q - 8'd1;
    end else if (left_q != 8'd0) begin
      left_q       <= left_q - 8'd1;
      wave_q.valid <= 1'b1;
      wave_q.row   <= wave_q.row + 8'd1;
    end else begin
      wave_q.valid <= 1'b0;
    end
  end

  assign drain_o = wave_q;
endmodule
