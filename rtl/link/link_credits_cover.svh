// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the credits: each class, each kind that is short, the start.
for (genvar c = 0; c < int'(Classes); c++) begin : gen_cover_class
  logic sent, told;
  assign sent = pkt_send_i && pkt_class_i == 2'(c);
  assign told = tells && class_i == 2'(c);
  `TERN_COVER(Sent, sent)
  `TERN_COVER(LastHead, sent && head_left_o[c*HeadBits+:HeadBits] == HeadBits'(1))
  `TERN_COVER(NoHead, up_o && head_left_o[c*HeadBits+:HeadBits] == '0)
  `TERN_COVER(NoData, up_o && data_left_o[c*DataBits+:DataBits] == '0)
  `TERN_COVER(Freed, free_valid_i && free_class_i == 2'(c))
  `TERN_COVER(SentAndTold, sent && told)
end
`TERN_COVER(FirstToldTwice, state_q == First && tells && seen_q[class_i])
`TERN_COVER(EndedBySecond, state_q == Second && good_i && kind_i == link_pkg::InitSecond)
`TERN_COVER(EndedByUpdate, state_q == Second && updates)
`TERN_COVER(FirstWhileSecond, state_q == Second && good_i && kind_i == link_pkg::InitFirst)
