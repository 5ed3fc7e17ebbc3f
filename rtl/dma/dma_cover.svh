// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the DMA engine: operations and formats, rings, faults, answers.
for (genvar k = 0; k < 8; k++) begin : gen_cover_op
  `TERN_COVER(Packet, dispatch && packet.op == 4'(k))
  // The scan refuses a transpose without its slots, and more than one pair of a cast or an
  // immediate.
  if (k != 6) begin : gen_cover_one
    `TERN_COVER(OnePair, dispatch && packet.op == 4'(k) && packet.pairs == 7'd1)
  end
  if (k != 1 && k != 7) begin : gen_cover_several
    `TERN_COVER(SeveralPairs, dispatch && packet.op == 4'(k) && packet.pairs > 7'd1)
  end
  for (genvar c = 0; c < 4; c++) begin : gen_cover_class
    `TERN_COVER(Class, dispatch && packet.op == 4'(k) && packet.traffic_class == 2'(c))
  end
  // Cast, add, min, max, fma: from and to each format.
  if (k >= 1 && k <= 5) begin : gen_cover_formats
    for (genvar f = 0; f < 9; f++) begin : gen_cover_format
      `TERN_COVER(Formats, dispatch && packet.op == 4'(k) && packet.src_dtype == 4'(f / 3)
                           && packet.dst_dtype == 4'(f % 3))
    end
  end
end
for (genvar c = 0; c < 3; c++) begin : gen_cover_crc
  `TERN_COVER(Packet, dispatch && packet.crc == 2'(c))
end
`TERN_COVER(CrcWrong, crc_valid && crc_wrong)
for (genvar r = 0; r < int'(Rings); r++) begin : gen_cover_ring
  `TERN_COVER(Chosen, taken_o && taken_ring_o == 4'(r))
  `TERN_COVER(Stopped, stopping_o[r])
end
for (genvar w = 0; w < 3; w++) begin : gen_cover_write_op
  `TERN_COVER(Write, write_valid_o && write_request_o.write_op == 2'(w))
end
for (genvar e = 0; e < 3; e++) begin : gen_cover_answer
  `TERN_COVER(Fetch, fetch_answer_i.valid && fetch_answer_i.last && fetch_answer_i.error == 2'(e))
  `TERN_COVER(Read, read_answer_i.valid && read_answer_i.last && read_answer_i.error == 2'(e))
  `TERN_COVER(Write, write_answer_i.valid && write_answer_i.last
                     && write_answer_i.error == 2'(e))
end
`TERN_COVER(UnknownAnswer, unknown_answer)
`TERN_COVER(DeadPacket, dead != '0)
`TERN_COVER(TargetFull, target_full)
`TERN_COVER(PairPushed, push_valid_i && push_ready_o)
`TERN_COVER(PushWaits, push_valid_i && !push_ready_o)
`TERN_COVER(Immediate, write_valid_o && write_immediate_o)
