// SPDX-License-Identifier: Apache-2.0
// One end as a sender: flits, numbers, replay, credits, against values from rtl/link/README.md.
#include "tb/datalink/single_end.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

flit::Packet packet(unsigned cls, unsigned dwords, std::uint32_t mark) {
  flit::Packet packet;
  packet.cls = cls;
  packet.dwords = dwords;
  packet.head = {mark, ~mark, mark * 3};
  for (unsigned i = 0; i < dwords; ++i) packet.data[i] = mark << 8 | i;
  return packet;
}

// Offers one until it is taken.
void send(SingleEnd& end, const flit::Packet& packet) {
  end.inputs.offer = &packet;
  while (end.inputs.offer != nullptr) end.idle(1);
}

// A payload flit with one packet of 55 double words of data: a full flit.
void send_flit(SingleEnd& end, std::uint32_t mark, const RefFlit& answer = SingleEnd::nop()) {
  send(end, packet(mark % 4, 55, mark));
  end.slot(answer);
}

// Marks of the payload flits seen; those with a number are negative.
std::vector<int> marks(const SingleEnd& end) {
  std::vector<int> marks;
  for (const RefFlit& flit : end.seen.flits) {
    if (flit.usage == 2)
      marks.push_back(static_cast<int>(flit.tlp[1]) * (flit.command == 0 ? -1 : 1));
  }
  return marks;
}

RefFlit quiet(unsigned number, bool nak = false) {
  return SingleEnd::ack(number, nak);
}

}  // namespace

TEST_CASE("datalink flit: the first one, byte by byte") {
  SingleEnd end;
  while (!end.outputs.running) end.idle(1);
  end.slot(nullptr);
  end.drain();
  REQUIRE(end.seen.flits.size() == 1);
  const RefFlit& flit = end.seen.flits[0];
  CHECK(flit.crc_fits);
  CHECK(flit.zeros == 0);
  CHECK(flit.usage == 1);
  CHECK(flit.prior == 0);
  CHECK(flit.command == 0);
  CHECK(flit.number == 1023);
  CHECK(flit.type == 0x40);
  CHECK(flit.heads == 127);
  CHECK(flit.data == 2032);
  const std::vector<std::uint8_t> bytes = ref_bytes(end.outputs.tx);
  CHECK(bytes[236] == 0xe1);
  CHECK(bytes[237] == 0x7f);
  CHECK(bytes[238] == 0x40);
  CHECK(bytes[239] == 0x7f);
  CHECK(bytes[240] == 0xf0);
  CHECK(bytes[241] == 0x07);
}

TEST_CASE("datalink flit: three cycles from slot to lanes") {
  SingleEnd end;
  while (!end.outputs.running) end.idle(1);
  end.inputs.slot = true;
  end.idle(1);
  end.inputs.slot = false;
  for (unsigned i = 1; i <= 4; ++i) {
    end.idle(1);
    CHECK(end.outputs.tx_valid == (i == 3));
  }
}

TEST_CASE("datalink packing: packets follow each other, across the borders of flits") {
  SingleEnd end;
  end.start();
  const std::vector<flit::Packet> packets = {packet(1, 2, 0x11), packet(2, 0, 0x22),
                                             packet(3, 64, 0x33), packet(0, 3, 0x44)};
  std::vector<std::uint32_t> words;
  for (const flit::Packet& p : packets) {
    words.push_back(0x80000000 | p.cls << 8 | p.dwords);
    words.insert(words.end(), p.head.begin(), p.head.end());
    words.insert(words.end(), p.data.begin(), p.data.begin() + p.dwords);
  }
  // The fourth has to wait until the first flit has gone: it begins in the second one.
  for (unsigned i = 0; i < 3; ++i) send(end, packets[i]);
  CHECK(end.seen.taken == 3);
  end.inputs.offer = &packets[3];
  end.idle(3);
  CHECK(end.seen.taken == 3);
  end.slot(nullptr);
  CHECK(end.seen.taken == 4);
  end.slot(nullptr);
  end.slot(nullptr);
  end.drain();
  REQUIRE(end.seen.flits.size() == 3);
  words.resize(118);
  CHECK(end.seen.flits[0].usage == 2);
  CHECK(end.seen.flits[0].tlp == std::vector<std::uint32_t>(words.begin(), words.begin() + 59));
  CHECK(end.seen.flits[1].tlp == std::vector<std::uint32_t>(words.begin() + 59, words.end()));
  CHECK(end.seen.flits[2].usage == 1);
  CHECK(end.seen.flits[2].prior == 1);
}

TEST_CASE("datalink packing: at most four packets begin in a flit") {
  SingleEnd end;
  end.start();
  const flit::Packet small = packet(0, 0, 7);
  for (unsigned i = 0; i < 4; ++i) send(end, small);
  end.inputs.offer = &small;
  end.idle(5);
  CHECK(end.seen.taken == 4);
  end.slot(nullptr);
  CHECK(end.seen.taken == 5);
}

TEST_CASE("datalink packing: data above a packet's size do not reach the wire") {
  SingleEnd end;
  end.start();
  flit::Packet dirty = packet(0, 1, 5);
  for (std::size_t i = 1; i < dirty.data.size(); ++i) dirty.data[i] = 0xdeadbeef;
  send(end, dirty);
  end.slot(nullptr);
  end.drain();
  for (unsigned i = 5; i < 59; ++i) CHECK(end.seen.flits.at(0).tlp[i] == 0);
}

TEST_CASE("datalink sender: numbers are in rotation and unsaid") {
  SingleEnd end;
  end.start();
  // More than all numbers, each acknowledged a little later.
  for (unsigned i = 1; i <= 1100; ++i) {
    const unsigned acked = i < 10 ? 1023 : (i - 10) % 1023 + 1;
    send_flit(end, i, quiet(acked));
    // Credits of the class, always the most.
    RefFlit credits = quiet(acked);
    credits.type = 0x80 | i % 4;
    credits.heads = (100 + (i + 3) / 4) & 0xff;
    credits.data = (1000 + 14 * ((i + 3) / 4)) & 0xfff;
    end.slot(credits);
  }
  end.drain();
  CHECK(end.seen.protocol_errors == 0);
  unsigned payload = 0;
  for (const RefFlit& flit : end.seen.flits) payload += flit.usage == 2;
  CHECK(payload == 1100);
  // A nak shows the numbers: 1092 - 1023 = 69 is the first one after it.
  end.seen = {};
  end.slot(quiet(68, true));
  for (unsigned i = 0; i < 12; ++i) end.slot(quiet(68));
  end.drain();
  std::vector<unsigned> numbers;
  for (const RefFlit& flit : end.seen.flits) {
    if (flit.usage == 2 && flit.command == 0) numbers.push_back(flit.number);
  }
  CHECK(numbers == std::vector<unsigned>{69});
  CHECK(marks(end) == std::vector<int>{-1092, 1093, 1094, 1095, 1096, 1097, 1098, 1099, 1100});
}

TEST_CASE("datalink sender: a nak repeats all flits after it, once") {
  SingleEnd end;
  end.start();
  for (unsigned i = 1; i <= 5; ++i) send_flit(end, i);
  end.slot(quiet(2, true));
  for (unsigned i = 0; i < 6; ++i) end.slot(quiet(2, true));  // repeated, and ignored
  end.drain();
  CHECK(end.seen.replays == 1);
  CHECK(marks(end) == std::vector<int>{1, 2, 3, 4, 5, -3, 4, 5});
  // Followed again after the round trip of 256 slots.
  end.seen = {};
  for (unsigned i = 0; i < 245; ++i) end.slot(quiet(2, true));
  CHECK(end.seen.replays == 0);
  for (unsigned i = 0; i < 15; ++i) end.slot(quiet(2, true));
  CHECK(end.seen.replays == 1);
  // Another nak is followed at once; with nothing to repeat, a NOP flit states the last number.
  end.drain();
  end.seen = {};
  end.slot(quiet(5, true));
  end.slot(quiet(5));
  end.slot(quiet(5));
  end.drain();
  CHECK(end.seen.replays == 1);
  CHECK(marks(end).empty());
  std::vector<unsigned> stated;
  for (const RefFlit& flit : end.seen.flits) {
    if (flit.command == 0) stated.push_back(flit.number);
  }
  CHECK(stated == std::vector<unsigned>{5});
}

TEST_CASE("datalink sender: a selective nak is followed as a standard one") {
  SingleEnd end;
  end.start();
  for (unsigned i = 1; i <= 3; ++i) send_flit(end, i);
  RefFlit selective = quiet(1, true);
  selective.command = 3;
  end.slot(selective);
  for (unsigned i = 0; i < 3; ++i) end.slot(quiet(1));
  end.drain();
  CHECK(marks(end) == std::vector<int>{1, 2, 3, -2, 3});
}

TEST_CASE("datalink sender: an acknowledgement shortens a repetition") {
  SingleEnd end;
  end.start();
  for (unsigned i = 1; i <= 6; ++i) send_flit(end, i);
  end.slot(quiet(1, true));
  end.slot(quiet(4));
  for (unsigned i = 0; i < 6; ++i) end.slot(quiet(4));
  end.drain();
  CHECK(marks(end) == std::vector<int>{1, 2, 3, 4, 5, 6, -2, -5, 6});
}

TEST_CASE("datalink sender: an acknowledgement of what was not sent is an error and ignored") {
  SingleEnd end;
  end.start();
  for (unsigned i = 1; i <= 3; ++i) send_flit(end, i);
  end.slot(quiet(4));
  end.slot(quiet(900, true));
  end.drain();
  CHECK(end.seen.protocol_errors == 2);
  CHECK(end.seen.replays == 0);
  end.slot(quiet(0, true));
  end.slot(quiet(1023, true));
  for (unsigned i = 0; i < 4; ++i) end.slot(quiet(1023));
  end.drain();
  CHECK(marks(end) == std::vector<int>{1, 2, 3, -1, 2, 3});
}

TEST_CASE("datalink sender: a full replay buffer sends NOP flits") {
  SingleEnd end(LinkSize::kSmall);
  end.start();
  for (unsigned i = 1; i <= 4; ++i) send_flit(end, i);
  send(end, packet(0, 55, 5));
  for (unsigned i = 0; i < 5; ++i) end.slot(quiet(1023));
  end.drain();
  CHECK(marks(end) == std::vector<int>{1, 2, 3, 4});
  end.slot(quiet(1));
  for (unsigned i = 0; i < 4; ++i) end.slot(quiet(1));
  end.drain();
  CHECK(marks(end) == std::vector<int>{1, 2, 3, 4, 5});
}

TEST_CASE("datalink sender: repetitions in vain ask for training") {
  SingleEnd end(LinkSize::kSmall);  // two, at least 12 slots apart
  end.start();
  send_flit(end, 1);
  for (unsigned i = 0; i < 20; ++i) end.slot(quiet(1023, true));
  end.drain();
  CHECK(end.seen.replays == 2);
  CHECK(end.seen.recoveries == 1);
  // One that acknowledges something is not in vain.
  send_flit(end, 2);
  end.slot(quiet(1, true));
  end.slot(quiet(1, true));
  end.drain();
  CHECK(end.seen.replays == 3);
  CHECK(end.seen.recoveries == 1);
}

TEST_CASE("datalink sender: a link that runs again repeats all that is not acknowledged") {
  SingleEnd end;
  end.start();
  for (unsigned i = 1; i <= 3; ++i) send_flit(end, i, quiet(i == 3 ? 1 : 1023));
  end.drain();
  end.seen = {};
  end.inputs.run = false;
  end.slot(nullptr);
  end.drain();
  CHECK_FALSE(end.outputs.running);
  CHECK(end.seen.flits.empty());
  end.inputs.run = true;
  end.idle(2);
  for (unsigned i = 0; i < 3; ++i) end.slot(quiet(1));
  end.drain();
  CHECK(marks(end) == std::vector<int>{-2, 3});
}

TEST_CASE("datalink credits: a packet waits for its class, others pass") {
  SingleEnd end;
  end.start(2, 20);
  const flit::Packet full = packet(1, 64, 1), small = packet(1, 16, 2), other = packet(2, 64, 3);
  CHECK(end.outputs.head_left == std::array<std::uint32_t, 4>{2, 2, 2, 2});
  CHECK(end.outputs.data_left == std::array<std::uint32_t, 4>{20, 20, 20, 20});
  send(end, full);  // 16 of 20 units
  end.slot(nullptr);
  end.inputs.offer = &full;
  end.idle(10);
  CHECK(end.seen.taken == 1);
  CHECK(end.outputs.data_left[1] == 4);
  send(end, other);
  end.slot(nullptr);
  end.slot(nullptr);
  CHECK(end.seen.taken == 2);
  send(end, small);  // the last 4 units, and the last header
  CHECK(end.seen.taken == 3);
  const flit::Packet none = packet(1, 0, 4);
  end.inputs.offer = &none;
  end.idle(10);
  CHECK(end.seen.taken == 3);
  // One more header credit, and no data.
  RefFlit update = quiet(1023);
  update.type = 0x81;
  update.heads = 3;
  update.data = 20;
  end.slot(update);
  end.slot(quiet(1023));
  CHECK(end.seen.taken == 4);
  CHECK(end.outputs.head_left == std::array<std::uint32_t, 4>{2, 0, 1, 2});
  CHECK(end.outputs.data_left == std::array<std::uint32_t, 4>{20, 0, 4, 20});
}

TEST_CASE("datalink credits: units of 16 bytes, rounded up") {
  SingleEnd end;
  end.start(127, 2047);
  unsigned left = 2047;
  for (const unsigned dwords : {0u, 1u, 3u, 4u, 5u, 8u, 63u, 64u}) {
    send(end, packet(0, dwords, dwords));
    left -= (dwords + 3) / 4;
    end.slot(nullptr);
    end.slot(nullptr);
    CHECK(end.outputs.data_left[0] == left);
  }
}

TEST_CASE("datalink credits: what the user frees is given, class by class in rotation") {
  SingleEnd end;
  end.start();
  end.inputs.freed = flit::Freed{2, 5};
  end.idle(3);
  end.inputs.freed.reset();
  for (unsigned i = 0; i < 4; ++i) end.slot(nullptr);
  end.drain();
  REQUIRE(end.seen.flits.size() == 4);
  for (unsigned i = 0; i < 4; ++i) {
    const RefFlit& flit = end.seen.flits[i];
    CHECK(flit.type == (0x80 | i));  // eight flits before
    CHECK(flit.heads == (i == 2 ? 130 : 127));
    CHECK(flit.data == (i == 2 ? 2038 : 2032));
  }
}

TEST_CASE("datalink start: InitFC1, InitFC2, up") {
  SingleEnd end;
  while (!end.outputs.running) end.idle(1);
  const flit::Packet waits = packet(0, 0, 1);
  end.inputs.offer = &waits;
  RefFlit flit = SingleEnd::nop();
  flit.heads = 5;
  flit.data = 50;
  const auto tell = [&](unsigned type) {
    end.seen.flits.clear();
    flit.type = type;
    end.slot(flit);
    end.slot(nullptr);
    end.drain();
    return end.seen.flits.back().type & 0xfc;
  };
  // One class may be told often: all are needed. Other types tell nothing.
  CHECK(tell(0x40) == 0x40);
  CHECK(tell(0x40) == 0x40);
  CHECK(tell(0x31) == 0x40);
  CHECK(tell(0x41) == 0x40);
  CHECK(tell(0x43) == 0x40);
  CHECK(tell(0x42) == 0xC0);
  CHECK(tell(0x42) == 0xC0);  // the other end is not there yet
  CHECK_FALSE(end.outputs.up);
  CHECK(end.seen.taken == 0);
  SECTION("by InitFC2") {
    CHECK(tell(0xC0) == 0x80);
  }
  SECTION("by UpdateFC") {
    CHECK(tell(0x83) == 0x80);
  }
  SECTION("by a payload flit") {
    flit.usage = 2;
    CHECK(tell(0x31) == 0x80);
  }
  CHECK(end.outputs.up);
  CHECK(end.seen.taken == 1);
}

TEST_CASE("datalink lanes: byte i is on lane i mod 64, dead lanes are passed over") {
  SingleEnd end;
  end.start();
  end.inputs.run = false;
  end.idle(8);
  for (const unsigned p : {0u, 5u, 63u, 64u, 79u}) end.inputs.dead.set(p);
  end.inputs.load = true;
  end.idle(1);
  end.inputs.load = false;
  end.inputs.run = true;
  for (unsigned i = 0; i < 82; ++i) {
    CHECK_FALSE(end.outputs.running);
    end.idle(1);
  }
  end.idle(1);
  CHECK(end.outputs.running);
  send(end, packet(0, 55, 0x55));
  end.dead = end.inputs.dead;
  end.inputs.slot = true;
  end.idle(1);
  end.inputs.slot = false;
  while (!end.outputs.tx_valid) end.idle(1);
  CHECK(end.seen.flits.at(0).crc_fits);
  CHECK(end.seen.flits.at(0).tlp[1] == 0x55);
  for (const unsigned p : {0u, 5u, 63u, 64u, 68u, 79u}) CHECK(end.outputs.tx[p] == 0);
  CHECK_FALSE(end.outputs.lanes_short);
}

TEST_CASE("datalink lanes: 64 good ones are enough, 63 are short") {
  SingleEnd end;
  end.start();
  for (const unsigned dead : {16u, 17u, 0u}) {
    end.inputs.dead.reset();
    for (unsigned i = 0; i < dead; ++i) end.inputs.dead.set(79 - 4 * i);
    end.inputs.load = true;
    end.idle(1);
    end.inputs.load = false;
    end.idle(84);
    CAPTURE(dead);
    CHECK(end.outputs.lanes_short == (dead == 17));
    CHECK(end.outputs.running == (dead != 17));
  }
}
