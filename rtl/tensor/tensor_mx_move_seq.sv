// SPDX-License-Identifier: Apache-2.0
// Sequencer of MultiplyMoving for array X: one moving column a cycle, with its second plane and the
// scales, which follow the same pattern. Registered: start in cycle t gives columns 0 .. N-1 in
// cycles t+1 .. t+N.
module tensor_mx_move_seq (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         start_i,
  input  tensor_pkg::cmd_t             cmd_i,
  input  tensor_ctrl_pkg::plan_t       plan_i,
  input  logic [tensor_pkg::SlotW-1:0] slot_i,
  input  logic                         swap_i,
  output tensor_pkg::mx_move_t         move_o
);
  typedef logic [tensor_pkg::AddrW-1:0] address_t;
  tensor_ctrl_pkg::pattern_t first;
  tensor_pkg::mx_move_t      wave_q;
  logic       run, last, outer;
  logic [1:0] size_q;
  // In bytes; outer: where the current inner run begins.
  address_t address_q, scale_q, outer_q, outer_scale_q;
  logic [tensor_pkg::AddrW-2:0] plane_q;  // 2-byte words
  address_t address_d, scale_d, base, base_scale, step;

  always_comb begin
    first = '0;
    if (start_i) begin
      first.columns = plan_i.columns;
      first.num0    = cmd_i.num0;
      first.step0   = address_t'(cmd_i.step0);
      first.step1   = address_t'(cmd_i.step1);
    end
  end

  tensor_pattern u_pattern (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .start_i  (start_i),
    .pattern_i(first),
    .run_o    (run),
    .last_o   (last),
    .outer_o  (outer),
    .step_o   (step)
  );

  always_comb begin
    base       = outer ? outer_q : address_q;
    base_scale = outer ? outer_scale_q : scale_q;
    address_d  = base + (step << size_q);
    scale_d    = base_scale + step;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wave_q        <= '0;
      size_q        <= '0;
      address_q     <= '0;
      plane_q       <= '0;
      scale_q       <= '0;
      outer_q       <= '0;
      outer_scale_q <= '0;
    end else if (start_i) begin
      wave_q.valid        <= 1'b1;
      wave_q.swap         <= swap_i;
      wave_q.slot         <= slot_i;
      wave_q.form         <= tensor_ctrl_pkg::form_x(cmd_i.dtype);
      wave_q.double_row   <= plan_i.double_row;
      wave_q.quad         <= plan_i.quad;
      wave_q.scale_offset <= cmd_i.scale_offset[3:2];
      wave_q.skip         <= cmd_i.row_start[7:3];
      wave_q.left         <= cmd_i.rows[7:3];
      size_q              <= plan_i.size;
      address_q           <= address_t'(cmd_i.address);
      plane_q             <= cmd_i.plane[tensor_pkg::AddrW-1:1];
      scale_q             <= address_t'(cmd_i.aux_address);
      outer_q             <= address_t'(cmd_i.address);
      outer_scale_q       <= address_t'(cmd_i.aux_address);
    end else if (run) begin
      wave_q.valid <= !last;
      wave_q.swap  <= 1'b0;
      address_q    <= address_d;
      scale_q      <= scale_d;
      if (outer) begin
        outer_q       <= address_d;
        outer_scale_q <= scale_d;
      end
    end
  end

  always_comb begin
    move_o = wave_q;
    if (wave_q.valid) begin
      move_o.address       = address_q[tensor_pkg::AddrW-1:1];
      move_o.plane_address = address_q[tensor_pkg::AddrW-1:1] + plane_q;
      move_o.odd           = address_q[0];
      move_o.scale_address = scale_q;
    end
  end
endmodule
