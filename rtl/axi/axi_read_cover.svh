// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the reader: alignments, lengths, classes, errors, and a bus that waits.
for (genvar c = 0; c < 4; c++) begin : gen_cover_class
  `TERN_COVER(Class, request_valid_i && request_i.traffic_class == 2'(c))
end
`TERN_COVER(Aligned, request_valid_i && request_i.address[5:0] == '0)
`TERN_COVER(LastByteOfLine, request_valid_i && request_i.address[5:0] == '1)
`TERN_COVER(OneBeat, ar_valid_o && ar_len_o == 8'd0)
`TERN_COVER(LongestBurst, ar_valid_o && ar_len_o == 8'd15)
`TERN_COVER(AddressWaits, ar_valid_o && !ar_ready_i)
`TERN_COVER(DataWait, r_valid_i && !r_ready_o)
`TERN_COVER(NoRequest, !open)
`TERN_COVER(LastHeldBeat, flush_q)                         // Leaves a cycle after the bus's last
`TERN_COVER(FewerThanOnBus, take && r_last_i && offset != '0 && !fits)
for (genvar e = 0; e < 3; e++) begin : gen_cover_error
  `TERN_COVER(Answer, done && answer_o.error == 2'(e))
end
`TERN_COVER(ErrorThenGood, done && answer_o.error != dma_pkg::AnswerGood &&
                           take && r_resp_i == axi_pkg::RespOkay)
