// SPDX-License-Identifier: Apache-2.0
// Register of a move wave in one row: passes it on to the next row, counted down.
module tensor_wave_step (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  tensor_pkg::move_wave_t wave_i,
  output tensor_pkg::move_wave_t wave_o,
  output logic                   active_o  // Accompanies wave_o: this row belongs to the tile
);
  tensor_pkg::move_wave_t wave_q;
  logic active_q;

  // Idle while nothing passes: most rows have no wave in most lanes.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wave_q   <= '0;
      active_q <= 1'b0;
    end else if (wave_i.valid || wave_q.valid) begin
      wave_q      <= wave_i;
      wave_q.skip <= (wave_i.skip == 8'd0) ? 8'd0 : wave_i.skip - 8'd1;
      wave_q.left <= (wave_i.skip == 8'd0 && wave_i.left != 8'd0) ? wave_i.left - 8'd1
                                                                  : wave_i.left;
      active_q    <= wave_i.valid && wave_i.skip == 8'd0 && wave_i.left != 8'd0;
    end
  end

  assign wave_o   = wave_q;
  assign active_o = active_q;
endmodule
