// SPDX-License-Identifier: Apache-2.0
// The cycles of the data path, computed by hand from the rules of rtl/dma/README.md.
#include <catch2/catch.hpp>

#include "sw/spec/generated/dma.h"
#include "sw/spec/generated/isa.h"
#include "tb/dma/back/packets.h"

using namespace tern;  // NOLINT: a test uses the names of what it tests
using namespace tern::tb;

namespace {

constexpr std::size_t kMemory = 1 << 20;
constexpr std::uint64_t kTo = 0x80000;

// Reads: the first beat of an answer is 10 cycles after the request; writes: answered 21 after.
BackDriver::Settings settings(unsigned descriptor_cycles = 5, unsigned pace = 0) {
  BackDriver::Settings result;
  result.descriptor_cycles = descriptor_cycles;
  result.pace = pace;
  result.read_latency = 9;
  result.write_latency = 20;
  return result;
}

std::vector<std::uint64_t> beats(const BackDriver& driver) {
  std::vector<std::uint64_t> cycles;
  for (const auto& write : driver.writes()) {
    cycles.insert(cycles.end(), write.beats.begin(), write.beats.end());
  }
  return cycles;
}

Packet copy(const Buffer& tx, const Buffer& rx) {
  Packet packet;
  append_pair(packet, tx, rx);
  return packet;
}

}  // namespace

TEST_CASE("DMA timing: one beat") {
  BackDriver driver(settings(), kMemory);
  driver.run({copy({0, 64}, {kTo, 64})});
  const std::uint64_t t = driver.dispatched()[0];
  CHECK(driver.reads()[0].cycle == t + 2);  // set-up in t + 1
  CHECK(driver.reads()[0].answered == t + 12);
  CHECK(driver.writes()[0].cycle == t + 13 + 4);  // enters in t + 13
  CHECK(driver.writes()[0].answered == t + 38);
  CHECK(driver.completed()[0] == t + 39);
}

TEST_CASE("DMA timing: 64 KiB stream at a beat per cycle") {
  BackDriver driver(settings(), kMemory);
  driver.run({copy({0, 65536}, {kTo, 65536})});
  const std::uint64_t t = driver.dispatched()[0];
  for (unsigned i = 0; i < 32; ++i) CHECK(driver.reads()[i].cycle == t + 2 + i);
  // The first answer is complete in t + 2 + 10 + 15; its last beat enters 16 later: lines free.
  CHECK(driver.reads()[32].cycle == t + 28 + 15 + 1);
  const auto at = beats(driver);
  REQUIRE(at.size() == 1024);
  for (unsigned i = 0; i < 1024; ++i) CHECK(at[i] == t + 28 + 4 + i);
}

TEST_CASE("DMA timing: 64 pieces of one line fill the tags") {
  auto slow = settings(0);
  slow.read_latency = 199;
  BackDriver driver(slow, kMemory);
  driver.run({copy({0, 64, {80}, {128}}, {kTo, 64 * 80})});
  const std::uint64_t t = driver.dispatched()[0];
  // One set-up and one piece per run; piece 64 waits for the tag of piece 0.
  for (unsigned i = 0; i < 64; ++i) CHECK(driver.reads()[i].cycle == t + 2 + 2 * i);
  CHECK(driver.reads()[64].cycle == t + 2 + 200 + 1 + 1);
}

TEST_CASE("DMA timing: a change of buffer costs DESC on either side") {
  for (unsigned desc : {0U, 5U, 20U}) {
    BackDriver driver(settings(desc), kMemory);
    driver.run({copy({0, 64, {4}, {256}}, {kTo, 128, {2}, {512}})});
    const std::uint64_t t = driver.dispatched()[0];
    // Answers in t + 12, 14, 16, 18, each beat a run of the source.
    const auto at = beats(driver);
    REQUIRE(at.size() == 4);
    std::uint64_t expected = t + 13;
    for (unsigned i = 0; i < 4; ++i) {
      if (i > 0) expected = std::max(expected + 1 + desc, t + 13 + 2 * i);
      CHECK(at[i] == expected + 4);
    }
  }
}

TEST_CASE("DMA timing: one buffer into four costs DESC for each") {
  BackDriver driver(settings(7), kMemory);
  driver.run({copy({0, 256}, {kTo, 64, {4}, {256}})});
  const std::uint64_t t = driver.dispatched()[0];
  const auto at = beats(driver);
  REQUIRE(at.size() == 4);
  // The answer of four beats is complete in t + 15.
  for (unsigned i = 0; i < 4; ++i) CHECK(at[i] == t + 16 + 8 * i + 4);
}

TEST_CASE("DMA timing: pauses of the pace") {
  BackDriver driver(settings(0, 512), kMemory);
  driver.run({copy({0, 1024}, {kTo, 1024})});
  const std::uint64_t t = driver.dispatched()[0];
  const auto at = beats(driver);
  REQUIRE(at.size() == 16);
  for (unsigned i = 0; i < 16; ++i) CHECK(at[i] == t + 28 + 4 + i + i / 2);
}

TEST_CASE("DMA timing: passes of an operation") {
  for (unsigned desc : {0U, 5U, 9U}) {
    BackDriver driver(settings(desc), kMemory);
    Packet packet;
    packet.op = TERN_DMA_OP_ADD;
    append_pair(packet, {0, 256}, {kTo, 256});
    append_pair(packet, {4096, 256}, {0, 256});
    driver.run({packet});
    const std::uint64_t t = driver.dispatched()[0];
    CHECK(driver.reads()[0].cycle == t + 2);
    CHECK(driver.reads()[1].cycle == t + 4);
    CHECK(driver.reads()[0].answered == t + 15);
    CHECK(driver.reads()[1].answered == t + 19);
    // First pass t + 16 .. t + 19.
    const auto at = beats(driver);
    REQUIRE(at.size() == 4);
    for (unsigned i = 0; i < 4; ++i) CHECK(at[i] == t + 20 + desc + i + 4);
  }
}

TEST_CASE("DMA timing: a block of a transpose fills, then leaves") {
  BackDriver driver(settings(), kMemory);
  Packet packet;
  packet.op = TERN_DMA_OP_TRANSPOSE;
  append_pair(packet, {0, 64, {16}, {64}}, {kTo, 64, {16}, {64}});
  driver.run({packet});
  const std::uint64_t t = driver.dispatched()[0];
  const auto at = beats(driver);
  REQUIRE(at.size() == 16);
  for (unsigned i = 0; i < 16; ++i) {
    CHECK(driver.reads()[i].cycle == t + 2 + i);  // one set-up for all rows
    CHECK(at[i] == t + 13 + 16 + i + 4);
  }
}

TEST_CASE("DMA timing: an immediate waits for the write before it, and for nothing else") {
  BackDriver driver(settings(), kMemory);
  Packet first, second;
  first.op = second.op = TERN_DMA_OP_IMMEDIATE;
  append_pair(first, {7, 4}, {kTo + 4096, 4});
  append_pair(second, {8, 4}, {kTo + 4100, 4});
  driver.run({copy({0, 64}, {kTo, 64}), first, second});
  const std::uint64_t t = driver.dispatched()[0];
  CHECK(driver.dispatched()[1] == t + 3);
  CHECK(driver.dispatched()[2] == t + 5);
  // The copy's beat enters in t + 13, written in t + 17, answered in t + 38. The immediates enter
  // in t + 13 + 1 + 5 and 6 later.
  CHECK(driver.writes()[1].cycle == t + 39);
  CHECK(driver.writes()[2].cycle == t + 40);
  // Alone it is through after the four stages: piece in t + 2, enters in t + 3.
  BackDriver alone(settings(), kMemory);
  alone.run({first});
  CHECK(alone.writes()[0].cycle == alone.dispatched()[0] + 3 + 4);
}

TEST_CASE("DMA timing: as many immediates as may wait hold up no copy") {
  BackDriver::Settings slow = settings();
  slow.write_latency = 400;
  BackDriver driver(slow, kMemory);
  std::vector<Packet> packets = {copy({0, 64}, {kTo, 64})};
  for (unsigned i = 0; i < TERN_DMA_IMMEDIATES; ++i) {
    Packet packet;
    packet.op = TERN_DMA_OP_IMMEDIATE;
    append_pair(packet, {i, 4}, {kTo + 4096 + 4 * i, 4});
    packets.push_back(packet);
  }
  packets.push_back(copy({64, 64}, {kTo + 64, 64}));
  driver.run(packets);
  const std::uint64_t t = driver.dispatched()[0];
  // The beat of the first copy enters in t + 13; the immediates and the last copy 6 cycles each
  // later, four stages before the port.
  const std::uint64_t last = t + 13 + 6 * (TERN_DMA_IMMEDIATES + 1) + 4;
  CHECK(driver.writes()[1].cycle == last);
  CHECK(driver.writes()[2].cycle > last + 200);  // the first immediate
}

TEST_CASE("DMA timing: a barrier waits until everything before is complete") {
  BackDriver driver(settings(), kMemory);
  Packet second;
  append_pair(second, {4096, 64}, {kTo + 4096, 64}, 0, 0, true);
  driver.run({copy({0, 64}, {kTo, 64}), second});
  const std::uint64_t t = driver.dispatched()[0];
  CHECK(driver.dispatched()[1] == t + 3);
  CHECK(driver.completed()[0] == t + 39);  // oldest from t + 40 on
  CHECK(driver.reads()[1].cycle == t + 40 + 1);
}
