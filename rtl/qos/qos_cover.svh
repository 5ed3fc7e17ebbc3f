// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the arbiter: policies and classes, by right and by what is left over.
for (genvar p = 0; p < 4; p++) begin : gen_cover_policy
  for (genvar c = 0; c < int'(qos_pkg::Classes); c++) begin : gen_cover_class
    logic here;
    assign here = enable_i && grant_valid_o && policy_i == 2'(p) && grant_class_o == 2'(c);
    if (p == 1 || p == 2) begin : gen_cover_right
      `TERN_COVER(ByRight, here && by_right_o)
      `TERN_COVER(LeftOver, here && !by_right_o)
    end else begin : gen_cover_turn
      `TERN_COVER(InTurn, here)
    end
    `TERN_COVER(AgainstOthers, here && (waiting & ~(4'd1 << c)) != 4'd0)
    `TERN_COVER(AmongItsOwn, here && (members[c*Requesters+:Requesters] & ~grant_o) != '0)
  end
  `TERN_COVER(NothingToDo, enable_i && !grant_valid_o && policy_i == 2'(p))
  `TERN_COVER(NotEnabled, !enable_i && req_i != '0 && policy_i == 2'(p))
end
for (genvar r = 0; r < int'(Requesters); r++) begin : gen_cover_requester
  `TERN_COVER(Granted, enable_i && grant_o[r])
end
`TERN_COVER(AllAsk, enable_i && req_i == '1)
