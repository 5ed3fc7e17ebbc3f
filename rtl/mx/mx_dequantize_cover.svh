// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the dequantiser: formats, edges of the scales.
for (genvar s = 0; s < 3; s++) begin : gen_cover_source
  localparam logic [4:0] Source = (s == 0) ? tern_spec_pkg::DtypeE4m3fn_x4
                                : (s == 1) ? tern_spec_pkg::DtypeE5m2_x4
                                           : tern_spec_pkg::DtypeE2m1_x4;
  for (genvar d = 0; d < 2; d++) begin : gen_cover_destination
    localparam logic [4:0] Destination = (d == 0) ? tern_spec_pkg::DtypeFp32
                                                  : tern_spec_pkg::DtypeBf16;
    logic here;
    assign here = valid_i && src_i == Source && dst_i == Destination;
    `TERN_COVER(SmallestScale, here && scale_i[7:0] == 8'd0)
    `TERN_COVER(LargestScale, here && scale_i[7:0] == 8'd254)
    `TERN_COVER(NanScale, here && scale_i[7:0] == 8'd255)
    `TERN_COVER(OtherScale, here && scale_i[7:0] != 8'd0 && scale_i[7:0] < 8'd254)
  end
end
`TERN_COVER(Expand, valid_i && dst_i == tern_spec_pkg::DtypeE4m3fn_x4)
