// SPDX-License-Identifier: Apache-2.0
// The four lanes of move waves in one row. A wave drives the column groups of its mask: one wave
// all four, or several side by side (column tiles) one or two each. No two waves drive the same.
module tensor_lanes (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  tensor_pkg::move_wave_t wave0_i,
  input  tensor_pkg::move_wave_t wave1_i,
  input  tensor_pkg::move_wave_t wave2_i,
  input  tensor_pkg::move_wave_t wave3_i,
  output tensor_pkg::move_wave_t wave0_o,
  output tensor_pkg::move_wave_t wave1_o,
  output tensor_pkg::move_wave_t wave2_o,
  output tensor_pkg::move_wave_t wave3_o,
  output logic             [3:0] swap_o,     // column groups that take new weights now
  // In the cycle after, with the data: per column group.
  input  logic           [127:0] operand_i,  // of each lane
  output logic             [3:0] en_o,
  output logic             [3:0] active_o,
  output logic           [127:0] operand_o   // of each column group
);
  logic [3:0] active;

  tensor_wave_step u_step0 (
    .clk_i(clk_i), .rst_ni(rst_ni), .wave_i(wave0_i), .wave_o(wave0_o), .active_o(active[0])
  );
  tensor_wave_step u_step1 (
    .clk_i(clk_i), .rst_ni(rst_ni), .wave_i(wave1_i), .wave_o(wave1_o), .active_o(active[1])
  );
  tensor_wave_step u_step2 (
    .clk_i(clk_i), .rst_ni(rst_ni), .wave_i(wave2_i), .wave_o(wave2_o), .active_o(active[2])
  );
  tensor_wave_step u_step3 (
    .clk_i(clk_i), .rst_ni(rst_ni), .wave_i(wave3_i), .wave_o(wave3_o), .active_o(active[3])
  );

  assign swap_o = ((wave0_i.valid && wave0_i.swap) ? wave0_i.mask : 4'd0)
                | ((wave1_i.valid && wave1_i.swap) ? wave1_i.mask : 4'd0)
                | ((wave2_i.valid && wave2_i.swap) ? wave2_i.mask : 4'd0)
                | ((wave3_i.valid && wave3_i.swap) ? wave3_i.mask : 4'd0);

  always_comb begin
    en_o      = wave0_o.valid ? wave0_o.mask : 4'd0;
    active_o  = active[0] ? wave0_o.mask : 4'd0;
    operand_o = {4{operand_i[31:0]}};
    if (wave1_o.valid) begin
      en_o     = en_o | wave1_o.mask;
      active_o = active_o | (active[1] ? wave1_o.mask : 4'd0);
      if (wave1_o.mask[1]) operand_o[63:32] = operand_i[63:32];
      if (wave1_o.mask[2]) operand_o[95:64] = operand_i[63:32];
      if (wave1_o.mask[3]) operand_o[127:96] = operand_i[63:32];
    end
    if (wave2_o.valid) begin
      en_o     = en_o | wave2_o.mask;
      active_o = active_o | (active[2] ? wave2_o.mask : 4'd0);
      if (wave2_o.mask[2]) operand_o[95:64] = operand_i[95:64];
      if (wave2_o.mask[3]) operand_o[127:96] = operand_i[95:64];
    end
    if (wave3_o.valid) begin
      en_o              = en_o | wave3_o.mask;
      active_o          = active_o | (active[3] ? wave3_o.mask : 4'd0);
      operand_o[127:96] = operand_i[127:96];
    end
  end
endmodule
