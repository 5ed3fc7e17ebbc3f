// SPDX-License-Identifier: Apache-2.0
// One lane between two row groups: a wave whose last group is above ends here, another may begin.
module tensor_join #(
  parameter int unsigned Group = 1  // The group below
) (
  input  tensor_pkg::move_wave_t above_i,
  input  tensor_pkg::move_wave_t enter_i,
  output tensor_pkg::move_wave_t wave_o,
  output logic             [3:0] leave_o,  // Column groups whose results leave above
  output logic             [3:0] fresh_o   // Column groups that start from +0 below
);
  logic ends;

  assign ends = {30'd0, above_i.last_group} < Group;

  always_comb begin
    wave_o = above_i;
    if (enter_i.valid) wave_o = enter_i;
    else wave_o.valid = above_i.valid && !ends;
  end

  assign leave_o = (above_i.valid && ends) ? above_i.mask : 4'd0;
  assign fresh_o = enter_i.valid ? enter_i.mask : 4'd0;
endmodule
