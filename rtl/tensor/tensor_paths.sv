// SPDX-License-Identifier: Apache-2.0
// Tracks when the resources shared by all commands are free. These are the load sequencers, the
// shadow weights (a Transpose keeps them while it drains), and the SBUF ports, which the arrays use
// at different times after the issue. Likewise the PSUM ports: quad mode uses them later than tiles
// that end at their row groups. Counters hold the remaining cycles.
module tensor_paths #(
  parameter int unsigned Rows   = 128,
  parameter int unsigned Stages = 1     // Cycles from a row or block to the next
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  tensor_ctrl_pkg::plan_t plan_i,      // The head of the queue
  output logic                   load_free_o, // As a LoadStationary or Transpose it may issue
  output logic                   move_free_o, // As a MultiplyMoving
  input  logic                   start_i      // It issues
);
  // Array X reads the last partitions that many cycles earlier than array A.
  localparam int unsigned Lead = (Rows - Rows / 8) * Stages;
  // The results of the first row group leave that many cycles earlier than those of quad mode.
  localparam int unsigned QuadLead = 3 * Rows / 32 * Stages;

  logic load_a, move_a, load, ends_early;
  logic [15:0] load_q, shadow_q, load_x_q, move_x_q, move_x_next, quad_q;

  assign load   = start_i && !plan_i.is_move;
  assign load_a = load && !plan_i.mx;
  assign move_a = start_i && plan_i.is_move && !plan_i.mx;

  // Tiles of array A overlap: the latest end counts.
  assign move_x_next = plan_i.columns + 16'(Lead - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q   <= '0;
      quad_q   <= '0;
      shadow_q <= '0;
      load_x_q <= '0;
      move_x_q <= '0;
    end else begin
      if (load) load_q <= 16'(plan_i.groups) - 16'd1;
      else if (load_q != 16'd0) load_q <= load_q - 16'd1;

      if (load && plan_i.is_transpose) shadow_q <= 16'(plan_i.groups) + plan_i.columns;
      else if (shadow_q != 16'd0) shadow_q <= shadow_q - 16'd1;

      if (load_a) load_x_q <= 16'(plan_i.groups) + 16'(Lead - 1);
      else if (load_x_q != 16'd0) load_x_q <= load_x_q - 16'd1;

      if (move_a && move_x_next >= move_x_q) move_x_q <= move_x_next;
      else if (move_x_q != 16'd0) move_x_q <= move_x_q - 16'd1;

      if (start_i && plan_i.quad) quad_q <= plan_i.columns + 16'(QuadLead - 1);
      else if (quad_q != 16'd0) quad_q <= quad_q - 16'd1;
    end
  end

  assign load_free_o = load_q == 16'd0 && (plan_i.mx ? load_x_q == 16'd0 : shadow_q == 16'd0);
  assign ends_early  = plan_i.last_row_group != 2'd3;
  assign move_free_o = !plan_i.mx || (move_x_q == 16'd0 && !(ends_early && quad_q != 16'd0));
endmodule
