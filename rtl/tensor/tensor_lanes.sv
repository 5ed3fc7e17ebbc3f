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
  output logic             [3:0] swap_o,     // Column groups that take new weights now
  // In the cycle after, with the data.
  output logic             [3:0] en_o,       // Column groups that work
  output logic             [3:0] active_o,   // Those whose tile includes this row
  output logic                   single_o,   // Lane 0 alone drives all
  output logic             [7:0] lane_o,     // The lane that drives a column group, two bits each
  output logic            [11:0] form_o      // Of each lane
);
  logic [3:0] active;

  tensor_wave_step u_step0 (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .wave_i   (wave0_i),
    .wave_o   (wave0_o),
    .active_o (active[0])
  );
  tensor_wave_step u_step1 (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .wave_i   (wave1_i),
    .wave_o   (wave1_o),
    .active_o (active[1])
  );
  tensor_wave_step u_step2 (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .wave_i   (wave2_i),
    .wave_o   (wave2_o),
    .active_o (active[2])
  );
  tensor_wave_step u_step3 (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .wave_i   (wave3_i),
    .wave_o   (wave3_o),
    .active_o (active[3])
  );

  assign swap_o = ((wave0_i.valid && wave0_i.swap) ? wave0_i.mask : 4'd0)
                | ((wave1_i.valid && wave1_i.swap) ? wave1_i.mask : 4'd0)
                | ((wave2_i.valid && wave2_i.swap) ? wave2_i.mask : 4'd0)
                | ((wave3_i.valid && wave3_i.swap) ? wave3_i.mask : 4'd0);

  assign single_o = wave0_o.valid && wave0_o.mask == 4'hF;
  assign form_o   = {wave3_o.form, wave2_o.form, wave1_o.form, wave0_o.form};

  always_comb begin
    en_o     = wave0_o.valid ? wave0_o.mask : 4'd0;
    active_o = active[0] ? wave0_o.mask : 4'd0;
    lane_o   = 8'd0;
    if (wave1_o.valid) begin
      en_o     = en_o | wave1_o.mask;
      active_o = active_o | (active[1] ? wave1_o.mask : 4'd0);
      lane_o   = lane_o | {1'b0, wave1_o.mask[3], 1'b0, wave1_o.mask[2],
                           1'b0, wave1_o.mask[1], 2'd0};
    end
    if (wave2_o.valid) begin
      en_o     = en_o | wave2_o.mask;
      active_o = active_o | (active[2] ? wave2_o.mask : 4'd0);
      lane_o   = lane_o | {wave2_o.mask[3], 1'b0, wave2_o.mask[2], 5'd0};
    end
    if (wave3_o.valid) begin
      en_o     = en_o | wave3_o.mask;
      active_o = active_o | (active[3] ? wave3_o.mask : 4'd0);
      lane_o   = lane_o | 8'hC0;
    end
  end
endmodule
