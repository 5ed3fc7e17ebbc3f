// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the exponential unit: formats, counts, sums, stalls.
for (genvar s = 0; s < 3; s++) begin : gen_cover_source
  localparam logic [4:0] Source = (s == 0) ? tern_spec_pkg::DtypeFp32
                                : (s == 1) ? tern_spec_pkg::DtypeBf16 : tern_spec_pkg::DtypeFp16;
  for (genvar d = 0; d < 3; d++) begin : gen_cover_destination
    localparam logic [4:0] Destination = (d == 0) ? tern_spec_pkg::DtypeFp32
                                       : (d == 1) ? tern_spec_pkg::DtypeBf16
                                                  : tern_spec_pkg::DtypeFp16;
    logic here;
    assign here = accept && move && src_i == Source && dst_i == Destination;
    for (genvar n = 1; n < 5; n++) begin : gen_cover_count
      `TERN_COVER(NoSum, here && count_i == 3'(n) && !sum_i)
      `TERN_COVER(Sum, here && count_i == 3'(n) && sum_i)
    end
    `TERN_COVER(SumGoesOn, here && first_i && sum_i && !load_i)
    `TERN_COVER(SumLoaded, here && load_i)
    `TERN_COVER(OneGroup, here && first_i && last_i)
    `TERN_COVER(Middle, here && !first_i && !last_i)
  end
end
`TERN_COVER(OutputStalls, valid_o && !ready_i)
`TERN_COVER(InputWaits, valid_i && !ready_o)
`TERN_COVER(LoadWaitsForLoad, valid_i && waiting)
`TERN_COVER(GapInFlight, valid_q[4] && !valid_q[3] && valid_q[2])
