// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the writer: packing, alignments, immediates, errors, and a bus that waits.
for (genvar o = 0; o < 3; o++) begin : gen_cover_op
  `TERN_COVER(Write, write_valid_i && write_last_i && write_request_i.write_op == 2'(o))
end
for (genvar c = 0; c < 4; c++) begin : gen_cover_class
  `TERN_COVER(Class, write_valid_i && write_last_i && write_request_i.traffic_class == 2'(c))
end
`TERN_COVER(Immediate, write_valid_i && write_immediate_i)
`TERN_COVER(BeatJoins, beat && held != '0 && sum < 8'd64)
`TERN_COVER(BeatFills, beat && held != '0 && sum == 8'd64)
`TERN_COVER(BeatOverflows, beat && sum > 8'd64)
`TERN_COVER(EndAndBegin, ended_q && beat)
`TERN_COVER(OneBeat, next && last_beat == 5'd0)
`TERN_COVER(LongestBurst, next && last_beat == 5'd15)
`TERN_COVER(BeatWithoutLine, w_valid_o && !immediate && !has_line)
`TERN_COVER(AddressFirst, address_done_q && last_taken)
`TERN_COVER(DataFirst, data_done_q && aw_valid_o && aw_ready_i)
`TERN_COVER(BothAtOnce, next && !address_done_q && !data_done_q)
`TERN_COVER(AddressWaits, aw_valid_o && !aw_ready_i)
`TERN_COVER(DataWait, w_valid_o && !w_ready_i)
`TERN_COVER(PartOfFirst, w_valid_o && beat_q == '0 && w_strb_o[0] == 1'b0)
`TERN_COVER(PartOfLast, w_valid_o && w_last_o && w_strb_o[63] == 1'b0)
for (genvar e = 0; e < 3; e++) begin : gen_cover_error
  `TERN_COVER(Answer, answer_o.valid && answer_o.error == 2'(e))
end
