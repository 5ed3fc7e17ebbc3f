// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the quantiser: source, destination, rule; the scales' edges.
for (genvar k = 0; k < 8; k++) begin : gen_cover
  `TERN_COVER(Column, valid_i && {fp16_i, e5m2_i, ocp_i} == 3'(k))
  `TERN_COVER(BackToBack, valid_i && valid_o && {fp16_i, e5m2_i, ocp_i} == 3'(k))
end
`TERN_COVER(SmallestScale, valid_o && scale_o[7:0] == 8'd0)
`TERN_COVER(NanScale, valid_o && scale_o[7:0] == 8'd255)
