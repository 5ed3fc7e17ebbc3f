// SPDX-License-Identifier: Apache-2.0
// One end as a receiver: what it accepts, what it asks for, against rtl/link/README.md.
#include "tb/datalink/single_end.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

// An end with the numbers 1 to 3 accepted.
struct Receiver : SingleEnd {
  Receiver() {
    start();
    slot(numbered(say(1), 1));
    for (std::uint32_t i = 2; i <= 3; ++i) slot(say(i));
    drain();
    REQUIRE(marks() == std::vector<std::uint32_t>{1, 2, 3});
    seen = {};
  }

  // The next flit of the other end, after one that was as it is remembered.
  RefFlit say(std::uint32_t mark) { return after(payload(mark)); }
  RefFlit after(RefFlit flit) {
    flit.prior = prior_;
    prior_ = flit.usage == 2 || flit.command == 0;
    return flit;
  }
  void bad(const RefFlit& flit) {
    RefFlit spoiled = flit;
    spoiled.crc_fits = false;
    slot(spoiled);
  }
  std::vector<std::uint32_t> marks() const {
    std::vector<std::uint32_t> marks;
    for (const flit::Packet& packet : seen.packets) marks.push_back(packet.data[0]);
    return marks;
  }
  // What it answers.
  std::pair<unsigned, unsigned> answer() {
    drain();
    seen.flits.clear();
    slot(nullptr);
    drain();
    return {seen.flits.at(0).command, seen.flits.at(0).number};
  }

 private:
  unsigned prior_ = 0;
};

using Answer = std::pair<unsigned, unsigned>;
constexpr unsigned kAck = 1, kNak = 2;

}  // namespace

TEST_CASE("datalink receiver: acknowledges the last flit accepted") {
  Receiver end;
  CHECK(end.answer() == Answer{kAck, 3});
  end.slot(end.say(4));
  CHECK(end.answer() == Answer{kAck, 4});
  CHECK(end.marks() == std::vector<std::uint32_t>{4});
}

TEST_CASE("datalink receiver: three cycles from lanes to packet") {
  Receiver end;
  end.slot(end.say(4));  // four cycles: lanes in the first, packet in the last
  CHECK(end.seen.packets.size() == 1);
  CHECK(end.outputs.packet.has_value());
}

TEST_CASE("datalink receiver: a bad payload flit is asked for, its successors are dropped") {
  Receiver end;
  end.bad(end.say(4));
  CHECK(end.answer() == Answer{kAck, 3});  // in doubt
  end.slot(end.say(5));
  CHECK(end.answer() == Answer{kNak, 3});
  end.slot(end.say(6));
  CHECK(end.answer() == Answer{kNak, 3});
  CHECK(end.marks().empty());
  end.slot(SingleEnd::numbered(end.say(4), 4));
  CHECK(end.answer() == Answer{kAck, 4});
  end.slot(end.say(5));
  end.slot(end.say(6));
  end.drain();
  CHECK(end.marks() == std::vector<std::uint32_t>{4, 5, 6});
  CHECK(end.seen.duplicates == 0);
  CHECK(end.seen.bad == 1);
}

TEST_CASE("datalink receiver: a flit that the lanes lost is a bad one") {
  Receiver end;
  const RefFlit lost = end.say(4);
  end.slot(&lost, true);
  end.slot(end.say(5));
  CHECK(end.answer() == Answer{kNak, 3});
  CHECK(end.seen.bad == 1);
}

TEST_CASE("datalink receiver: a bad NOP flit costs nothing") {
  Receiver end;
  end.slot(end.after(SingleEnd::nop()));
  end.bad(end.after(SingleEnd::nop()));
  end.slot(end.after(SingleEnd::payload(4)));
  CHECK(end.answer() == Answer{kAck, 4});
  CHECK(end.marks() == std::vector<std::uint32_t>{4});
}

TEST_CASE("datalink receiver: two bad slots in sequence may be a lost flit") {
  Receiver end;
  end.slot(end.after(SingleEnd::nop()));
  end.bad(end.after(SingleEnd::nop()));
  end.bad(end.after(SingleEnd::nop()));
  CHECK(end.answer() == Answer{kNak, 3});
  end.slot(end.after(SingleEnd::nop()));
  CHECK(end.answer() == Answer{kNak, 3});
  // The sender has nothing to repeat, and says so.
  end.slot(SingleEnd::numbered(end.after(SingleEnd::nop()), 3));
  CHECK(end.answer() == Answer{kAck, 3});
  end.slot(end.say(4));
  CHECK(end.answer() == Answer{kAck, 4});
}

TEST_CASE("datalink receiver: a NOP flit states a number that is missing") {
  Receiver end;
  end.slot(SingleEnd::numbered(end.after(SingleEnd::nop()), 4));
  CHECK(end.answer() == Answer{kNak, 3});
  end.slot(SingleEnd::numbered(end.say(4), 4));
  CHECK(end.answer() == Answer{kAck, 4});
}

TEST_CASE("datalink receiver: flits it has are duplicates, near and 511 back") {
  Receiver end;
  end.slot(SingleEnd::numbered(end.say(2), 2));
  end.slot(end.say(3));
  CHECK(end.answer() == Answer{kAck, 3});
  CHECK(end.seen.duplicates == 2);
  end.slot(end.say(4));
  end.slot(SingleEnd::numbered(end.say(0), (4 + 1023 - 511) % 1023));
  CHECK(end.answer() == Answer{kAck, 4});
  CHECK(end.seen.duplicates == 3);
  end.slot(SingleEnd::numbered(end.say(0), 4 + 511));
  CHECK(end.answer() == Answer{kNak, 4});
  CHECK(end.seen.duplicates == 3);
  CHECK(end.marks() == std::vector<std::uint32_t>{4});
}

TEST_CASE("datalink receiver: idle flits say nothing") {
  Receiver end;
  RefFlit idle;
  idle.usage = 0;
  idle.command = 0;
  idle.number = 0;
  idle.type = 0x80;
  idle.heads = 1;
  idle.prior = 1;
  end.slot(idle);
  end.drain();
  CHECK(end.outputs.head_left[0] == 127);
  RefFlit next = SingleEnd::payload(4);
  end.slot(next);
  CHECK(end.answer() == Answer{kAck, 4});
}

TEST_CASE("datalink receiver: bad slots in sequence ask for training") {
  Receiver end;
  for (unsigned i = 0; i < 15; ++i) end.bad(SingleEnd::nop());
  end.slot(SingleEnd::nop());
  for (unsigned i = 0; i < 15; ++i) end.bad(SingleEnd::nop());
  end.drain();
  CHECK(end.seen.recoveries == 0);
  end.bad(SingleEnd::nop());
  end.drain();
  CHECK(end.seen.recoveries == 1);
  for (unsigned i = 0; i < 16; ++i) end.bad(SingleEnd::nop());
  end.drain();
  CHECK(end.seen.recoveries == 2);
}

TEST_CASE("datalink receiver: after training it waits for a number") {
  Receiver end;
  end.inputs.run = false;
  end.idle(9);
  end.inputs.run = true;
  end.idle(3);
  CHECK(end.answer() == Answer{0, 1023});  // this end has sent nothing
  CHECK(end.answer() == Answer{kAck, 3});
  end.slot(end.say(4));
  CHECK(end.answer() == Answer{kNak, 3});
  end.slot(SingleEnd::numbered(end.say(4), 4));
  CHECK(end.answer() == Answer{kAck, 4});
  CHECK(end.marks() == std::vector<std::uint32_t>{4});
}

TEST_CASE("datalink receiver: several packets of a flit, one a cycle, and one across a border") {
  Receiver end;
  RefFlit flit = end.say(0);
  flit.tlp.assign(59, 0);
  unsigned at = 0;
  for (unsigned i = 0; i < 3; ++i) {  // 4 + i double words of data each
    flit.tlp[at] = 0x80000000 | i << 8 | (4 + i);
    flit.tlp[at + 4] = 40 + i;
    at += 8 + i;
  }
  flit.tlp[at] = 0x80000300 | 64;
  flit.tlp[at + 4] = 43;
  end.slot(flit);
  CHECK(end.seen.packets.size() == 1);
  end.idle(1);
  CHECK(end.seen.packets.size() == 2);
  end.idle(1);
  CHECK(end.seen.packets.size() == 3);
  end.idle(5);
  CHECK(end.seen.packets.size() == 3);
  RefFlit rest = end.say(0);
  rest.tlp.assign(59, 0);
  const unsigned tail = at + 68 - 59;
  rest.tlp[tail - 1] = 0x1234;
  rest.tlp[tail] = 0x80000001;
  rest.tlp[tail + 4] = 44;
  end.slot(rest);
  end.drain();
  CHECK(end.marks() == std::vector<std::uint32_t>{40, 41, 42, 43, 44});
  CHECK(end.seen.packets.at(3).cls == 3);
  CHECK(end.seen.packets.at(3).dwords == 64);
  CHECK(end.seen.packets.at(3).data[63] == 0x1234);
}

TEST_CASE("datalink receiver: what no packer makes is reported and dropped") {
  Receiver end;
  for (const std::uint32_t start : {1u, 0x80000041u, 0x80000401u, 0x80000081u, 0xC0000001u}) {
    CAPTURE(start);
    end.seen = {};
    RefFlit flit = end.say(1);
    flit.tlp[5] = start;
    flit.tlp[6] = 0x80000001;
    end.slot(flit);
    end.drain();
    CHECK(end.seen.malformed == 1);
    CHECK(end.seen.packets.size() == 1);
    end.seen = {};
    end.slot(end.say(2));
    end.drain();
    CHECK(end.seen.malformed == 0);
    CHECK(end.marks() == std::vector<std::uint32_t>{2});
  }
}

TEST_CASE("datalink receiver: any wrong bit of the checked part makes a bad flit") {
  Receiver end;
  for (unsigned bit = 0; bit < 8 * 250; bit += 37) {
    flit::LaneWords lanes = ref_lanes(SingleEnd::nop());
    const unsigned byte = bit / 8;
    lanes[byte % 64] ^= 1u << (8 * (byte / 64) + bit % 8);
    end.seen = {};
    end.slot_of(&lanes);
    end.drain();
    CHECK(end.seen.bad == 1);
    end.slot(SingleEnd::numbered(SingleEnd::nop(), 3));
  }
}
