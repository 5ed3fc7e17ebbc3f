// SPDX-License-Identifier: Apache-2.0
// Sequencer of LoadStationary for array X: four columns a cycle into the first block. Registered:
// start in cycle s gives groups 0 .. L-1 in cycles s+1 .. s+L.
module tensor_mx_load_seq (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         start_i,
  input  tensor_pkg::cmd_t             cmd_i,
  input  tensor_ctrl_pkg::plan_t       plan_i,
  input  logic [tensor_pkg::SlotW-1:0] slot_i,
  output tensor_pkg::mx_load_t         load_o
);
  logic [5:0] left_q;    // Groups still to send, including this cycle's
  logic [2:0] stride_q;  // 4-byte words of a group
  tensor_pkg::mx_load_t wave_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q   <= '0;
      stride_q <= '0;
      wave_q   <= '0;
    end else if (start_i) begin
      left_q               <= plan_i.groups[5:0];
      stride_q             <= 3'd1 << plan_i.size;
      wave_q.valid         <= 1'b1;
      wave_q.last          <= plan_i.groups == 8'd1;
      wave_q.slot          <= slot_i;
      wave_q.form          <= tensor_ctrl_pkg::form_x(cmd_i.dtype);
      wave_q.double_row    <= plan_i.double_row;
      wave_q.group         <= 5'd0;
      wave_q.address       <= cmd_i.address[tensor_pkg::AddrW-1:2];
      wave_q.plane_address <= cmd_i.address[tensor_pkg::AddrW-1:2] +
                              cmd_i.plane[tensor_pkg::AddrW-1:2];
      wave_q.scale_address <= cmd_i.aux_address[tensor_pkg::AddrW-1:2];
      wave_q.scale_offset  <= cmd_i.scale_offset[3:2];
      wave_q.skip          <= cmd_i.row_start[7:3];
      wave_q.left          <= cmd_i.rows[7:3];
    end else if (left_q != 6'd0) begin
      left_q               <= left_q - 6'd1;
      wave_q.valid         <= left_q != 6'd1;
      wave_q.last          <= left_q == 6'd2;
      wave_q.group         <= wave_q.group + 5'd1;
      wave_q.address       <= wave_q.address + 16'(stride_q);
      wave_q.plane_address <= wave_q.plane_address + 16'd1;
      wave_q.scale_address <= wave_q.scale_address + 16'd1;
    end
  end

  assign load_o = wave_q;
endmodule
