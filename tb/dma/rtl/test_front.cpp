// SPDX-License-Identifier: Apache-2.0
// Rings, fetch, dispatch, faults and registers of the engine's RTL: the formulas and rules of
// rtl/dma/README.md as numbers. A memory that answers 20 cycles after a request.
#include <catch2/catch.hpp>

#include <algorithm>

#include "tb/dma/rtl/rtl_bench.h"

using tern::dma::Answer;
using tern::dma::Port;
using tern::dma::Request;
using tern::tb::kFrom;
using tern::tb::kTo;
using tern::tb::of;
using tern::tb::put_copies;
using tern::tb::rtl;
using tern::tb::SeenRequest;
using tern::tb::UnitBench;

namespace {

std::uint32_t status(UnitBench& bench, unsigned ring) {
  return bench.ring_register(ring, TERN_REG_DMA_RING_STATUS);
}

// The ring's only stop so far.
void check_stop(UnitBench& bench, unsigned ring, unsigned fault, std::uint32_t index,
                std::uint64_t address = 0) {
  REQUIRE(bench.stops.size() == 1);
  CHECK(bench.stops[0].ring == ring);
  CHECK(bench.stops[0].fault == fault);
  CHECK(bench.stops[0].index == index);
  CHECK(bench.stops[0].address == address);
  CHECK(status(bench, ring) == (fault == TERN_DMA_FAULT_ABORT ? 4 : 3));
  CHECK(bench.ring_register(ring, TERN_REG_DMA_RING_FAULT) == fault);
  CHECK(bench.ring_register(ring, TERN_REG_DMA_RING_FAULT_INDEX) == index);
  CHECK(bench.ring_register(ring, TERN_REG_DMA_RING_FAULT_ADDRESS) ==
        static_cast<std::uint32_t>(address));
  CHECK(bench.ring_register(ring, TERN_REG_DMA_RING_FAULT_ADDRESS + 4) == address >> 32);
}

}  // namespace

TEST_CASE("dma rtl: a doorbell's fetch, scan and dispatch take the cycles of the formulas") {
  UnitBench bench(rtl());
  bench.set_up(3, 128, 2);
  put_copies(bench, 3, 10);
  bench.run_to(199);
  bench.release(3, 10);  // at the port in cycle 200
  bench.run();
  const auto fetch = of(bench, Port::kDescriptors);
  REQUIRE(fetch.size() == 2);
  CHECK(fetch[0].cycle == 201);
  CHECK(fetch[0].address == UnitBench::base(3, true));
  CHECK(fetch[0].bytes == 160);
  CHECK(fetch[0].tag == 6);
  CHECK(fetch[0].traffic_class == 2);
  CHECK(fetch[1].cycle == 202);
  CHECK(fetch[1].address == UnitBench::base(3, false));
  CHECK(fetch[1].tag == 7);
  // Three beats of each list: TX 221 .. 223, RX after it 224 .. 226. Pair j is checked in 227 + j,
  // its packet may be dispatched in 228 + j; the source takes one every three cycles (set-up,
  // piece, idle again): 228, 231 ...
  REQUIRE(bench.done.size() == 10);
  CHECK(bench.done[0].begin == 228);
  CHECK(of(bench, Port::kRead)[0].cycle == 230);
  for (unsigned i = 1; i < 10; ++i) {
    CHECK(bench.done[i].begin == bench.done[i - 1].begin + 3);
    CHECK(bench.done[i].pairs == 1);
    CHECK(bench.done[i].bytes == 64);
  }
}

TEST_CASE(
    "dma rtl: a fetch is cut at 64 pairs, at windows of both lists and at the end of the ring") {
  UnitBench bench(rtl());
  // The lists begin 256 and 768 bytes into a window: 48 and 16 pairs up to its end.
  const std::uint64_t tx = 0x5000'0000'0100, rx = 0x6000'0000'0300;
  constexpr std::uint32_t kSize = 96;
  const std::uint32_t at = 5 * TERN_REG_DMA_RING_SIZE_STRIDE;
  for (const auto& [offset, value] :
       {std::pair{TERN_REG_DMA_RING_TX_BASE, tx}, std::pair{TERN_REG_DMA_RING_RX_BASE, rx}}) {
    bench.poke(at + offset, static_cast<std::uint32_t>(value));
    bench.poke(at + offset + 4, static_cast<std::uint32_t>(value >> 32));
  }
  bench.poke(at + TERN_REG_DMA_RING_SIZE, kSize);
  for (std::uint32_t i = 0; i < 130; ++i) {  // the second pass overwrites the first one's beginning
    const auto phase = (1 + i / kSize) % 4;
    auto words = UnitBench::copy_pair(kFrom, 4, kTo + 4 * i, 4, true, true);
    words.tx[0] |= phase << 24;
    words.rx[0] |= phase << 24;
    if (i == kSize) {
      bench.release(5, kSize);
      bench.run();
    }
    bench.memory.write(tx + 16 * (i % kSize), words.tx, 16);
    bench.memory.write(rx + 16 * (i % kSize), words.rx, 16);
  }
  bench.release(5, 34);
  bench.run();
  CHECK(bench.stops.empty());
  CHECK(bench.ring_register(5, TERN_REG_DMA_RING_HEAD) == 130);
  std::vector<std::uint32_t> pairs;
  for (const auto& r : of(bench, Port::kDescriptors)) {
    CHECK(r.address / 1024 == (r.address + r.bytes - 1) / 1024);
    if (r.tag % 2 == 0) pairs.push_back(r.bytes / 16);
  }
  // RX ends a window after 16 pairs, TX 32 later, RX 32 after that; the rest of the ring; again.
  CHECK(pairs == std::vector<std::uint32_t>{16, 32, 32, 16, 16, 18});
}

TEST_CASE("dma rtl: fetches go round the rings, a decision every other cycle") {
  UnitBench bench(rtl());
  for (const unsigned ring : {1u, 4u, 15u}) {
    bench.set_up(ring, 32);
    put_copies(bench, ring, 20);
  }
  for (const unsigned ring : {15u, 1u, 4u}) bench.release(ring, 20);
  bench.run();
  std::vector<SeenRequest> tx;
  for (const auto& r : of(bench, Port::kDescriptors)) {
    if (r.tag % 2 == 0) tx.push_back(r);
  }
  REQUIRE(tx.size() == 3);
  CHECK(tx[0].tag == 30);
  CHECK(tx[1].tag == 2);
  CHECK(tx[2].tag == 8);
  CHECK(tx[1].cycle >= tx[0].cycle + 2);
  CHECK(tx[2].cycle >= tx[1].cycle + 2);
  CHECK(bench.stops.empty());
}

TEST_CASE("dma rtl: the prefetch buffer of a ring holds 128 pairs") {
  UnitBench bench(rtl());
  bench.set_up(0, 256);
  put_copies(bench, 0, 256);
  // No read is answered before cycle 20000.
  bench.latency = [](const Request& r) {
    return r.port == Port::kRead && r.cycle < 19000 ? 20000 - r.cycle : std::uint64_t{20};
  };
  bench.release(0, 256);
  bench.run_to(10000);
  // The target side takes 8 pieces and 16 packets: as many reads are in flight. The 8 packets that
  // both sides have finished are less than the third fetch needs.
  std::uint32_t fetched = 0;
  for (const auto& r : of(bench, Port::kDescriptors)) fetched += r.tag % 2 == 0 ? r.bytes / 16 : 0;
  CHECK(of(bench, Port::kRead).size() == 24);
  CHECK(fetched == 128);
  bench.run();
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_HEAD) == 256);
}

TEST_CASE("dma rtl: a row of immediates does not delay the reads after it") {
  UnitBench bench(rtl());
  bench.set_up(0, 64);
  // As after an exchange between cores: data, one to a semaphore of each of seven others, more
  // data.
  bench.put_copy(0, kFrom, kTo, 4096);
  for (unsigned i = 0; i < 7; ++i) bench.put_immediate(0, kTo + 0x8000 + 4 * i, 1);
  bench.put_copy(0, kFrom + 4096, kTo + 4096, 4096);
  bench.latency = [](const Request& r) {
    return std::uint64_t{r.port == Port::kRead ? 500u : 20u};
  };
  bench.release(0, 9);
  bench.run();
  const auto reads = of(bench, Port::kRead);
  REQUIRE(reads.size() == 8);
  // Seven immediates of three cycles each between them, not an answer.
  CHECK(reads[4].cycle < reads[3].cycle + 30);
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_HEAD) == 9);
}

TEST_CASE("dma rtl: the most urgent class is dispatched first with strict priority") {
  UnitBench bench(rtl(0, TERN_QOS_POLICY_STRICT));
  bench.set_up(2, 64, 3);
  bench.set_up(9, 64, 0);
  put_copies(bench, 2, 40);
  put_copies(bench, 9, 10);
  bench.release(2, 40);
  bench.run_to(bench.now() + 60);  // its packets are ready
  bench.release(9, 10);
  bench.run();
  std::vector<unsigned> order;
  auto done = bench.done;
  std::sort(done.begin(), done.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (const auto& d : done) order.push_back(d.ring);
  const auto first = std::find(order.begin(), order.end(), 9u);
  REQUIRE(first != order.end());
  // Once it is there, nothing comes between its packets.
  CHECK(std::all_of(first, first + 10, [](unsigned ring) { return ring == 9; }));
  CHECK(first - order.begin() < 35);
}

TEST_CASE("dma rtl: doorbells against the rules stop the ring") {
  UnitBench bench(rtl());
  SECTION("no size") {
    bench.release(7, 1);
    check_stop(bench, 7, TERN_DMA_FAULT_BASE, 0);
  }
  SECTION("a base between two lines, by any bit of either list") {
    const std::uint32_t reg = GENERATE(TERN_REG_DMA_RING_RX_BASE, TERN_REG_DMA_RING_TX_BASE);
    const unsigned bit = GENERATE(range(0, 8));
    bench.set_up(7, 64);
    bench.poke(7 * 0x40 + reg, 1u << bit);
    bench.release(7, 1);
    check_stop(bench, 7, TERN_DMA_FAULT_BASE, 0);
  }
  SECTION("more pairs than the ring holds") {
    bench.set_up(7, 64);
    bench.release(7, 65);
    check_stop(bench, 7, TERN_DMA_FAULT_OVERRUN, 0);
  }
  SECTION("more pairs than the ring has left") {
    bench.set_up(7, 64);
    put_copies(bench, 7, 64);
    bench.release(7, 60);
    bench.release(7, 0xffff'ffff);
    check_stop(bench, 7, TERN_DMA_FAULT_OVERRUN, 0);
  }
  SECTION("sizes") {
    for (const std::uint32_t size : {0u, 16u, 40u, 0x0100'0000u, 0x8000'0040u}) {
      bench.stops.clear();
      bench.poke(7 * 0x40 + TERN_REG_DMA_RING_SIZE, size);
      check_stop(bench, 7, TERN_DMA_FAULT_SIZE, 0);
      CHECK(bench.ring_register(7, TERN_REG_DMA_RING_SIZE) == 0);
    }
    bench.stops.clear();
    bench.poke(7 * 0x40 + TERN_REG_DMA_RING_SIZE, 0x00ff'fff0);
    CHECK(bench.stops.empty());
    CHECK(status(bench, 7) == 0);
  }
  bench.run();
  CHECK(bench.unit->at_rest());
}

TEST_CASE("dma rtl: a faulty packet stops its ring when the packets before it are complete") {
  UnitBench bench(rtl());
  bench.set_up(1, 64);
  bench.set_up(6, 64);
  put_copies(bench, 1, 5);
  auto words = UnitBench::copy_pair(kFrom, 64, kTo + 0x5000, 32, true, true);  // sums
  bench.put(1, words);
  put_copies(bench, 1, 20);
  put_copies(bench, 6, 30);
  bench.release(1, 26);
  bench.release(6, 30);
  bench.run();
  check_stop(bench, 1, TERN_DMA_FAULT_SUMS, 5);
  CHECK(bench.ring_register(1, TERN_REG_DMA_RING_HEAD) == 5);
  CHECK(bench.ring_register(1, TERN_REG_DMA_RING_RELEASED) == 26);
  CHECK(bench.ring_register(6, TERN_REG_DMA_RING_HEAD) == 30);
  CHECK(status(bench, 6) == 0);
  // Its packets were complete before.
  for (const auto& d : bench.done) {
    if (d.ring == 1) CHECK(d.cycle < bench.stops[0].cycle);
  }
  // Doorbells of a stopped ring do nothing.
  bench.release(1, 1);
  CHECK(bench.ring_register(1, TERN_REG_DMA_RING_RELEASED) == 26);
  // A new size clears the fault; the ring works from its beginning.
  bench.set_up(1, 32);
  CHECK(status(bench, 1) == 0);
  CHECK(bench.ring_register(1, TERN_REG_DMA_RING_FAULT) == 0);
  put_copies(bench, 1, 7);
  bench.release(1, 7);
  bench.run();
  CHECK(bench.ring_register(1, TERN_REG_DMA_RING_HEAD) == 7);
  CHECK(bench.stops.size() == 1);
}

TEST_CASE("dma rtl: an abort drops everything of the ring, and restarts are clean in any cycle") {
  for (unsigned delay = 0; delay < 140; delay += 3) {
    CAPTURE(delay);
    UnitBench bench(rtl());
    bench.set_up(8, 64);
    bench.set_up(9, 64);
    put_copies(bench, 8, 40);
    put_copies(bench, 9, 40);
    bench.release(8, 40);
    bench.release(9, 40);
    bench.run_to(bench.now() + delay);
    bench.poke(8 * 0x40 + TERN_REG_DMA_RING_ABORT, 1);
    check_stop(bench, 8, TERN_DMA_FAULT_ABORT, 0);
    const std::uint32_t head = bench.ring_register(8, TERN_REG_DMA_RING_HEAD);
    const std::uint64_t aborted = bench.now() - 1;
    bench.run_to(bench.now() + delay / 5);
    // Again while the old packets are still in flight, with other bytes at other addresses.
    bench.set_up(8, 48);
    for (unsigned i = 0; i < 30; ++i) {
      bench.memory.write(0x50'0000 + 64 * i, &i, 4);
      bench.put_copy(8, 0x50'0000 + 64 * i, 0x60'0000 + 64 * i, 64);
    }
    bench.release(8, 30);
    bench.run();
    CHECK(bench.ring_register(8, TERN_REG_DMA_RING_HEAD) == 30);
    CHECK(bench.ring_register(9, TERN_REG_DMA_RING_HEAD) == 40);
    CHECK(bench.stops.size() == 1);
    CHECK(bench.unit->at_rest());
    unsigned complete = 0;
    for (const auto& d : bench.done) complete += d.ring == 8 ? 1 : 0;
    CHECK(complete == head + 30);
    for (unsigned i = 0; i < 30; ++i) {
      unsigned is = 99;
      bench.memory.read(0x60'0000 + 64 * i, &is, 4);
      CHECK(is == i);
    }
    // Nothing of the aborted packets is written but pieces that the mover had begun.
    for (const auto& r : of(bench, Port::kWrite)) {
      if (r.address >= kTo + 8 * 0x10000 && r.address < kTo + 9 * 0x10000) {
        CHECK(r.cycle <= aborted + 5);
      }
    }
  }
}

TEST_CASE("dma rtl: answers with errors stop the requesting ring") {
  UnitBench bench(rtl());
  bench.set_up(4, 64);
  bench.set_up(5, 64);
  put_copies(bench, 4, 20);
  put_copies(bench, 5, 20);
  std::uint64_t bad = 0;
  Answer kind = Answer::kBadAddress;
  bench.fate = [&](const Request& r) { return r.address == bad ? kind : Answer::kGood; };
  unsigned fault = 0;
  std::uint32_t index = 0, head = 0;
  std::uint64_t address = 0;
  SECTION("descriptors") {
    bad = UnitBench::base(4, false);
    fault = TERN_DMA_FAULT_FETCH;
  }
  SECTION("descriptors with uncorrectable bits") {
    bad = address = UnitBench::base(4, true);
    kind = Answer::kUncorrectable;
    fault = TERN_DMA_FAULT_ECC;
  }
  SECTION("destination") {
    bad = address = kTo + 0x40000 + 64 * 11;
    fault = TERN_DMA_FAULT_WRITE;
    index = head = 11;
  }
  SECTION("destination with uncorrectable bits") {
    bad = address = kTo + 0x40000 + 64 * 3;
    kind = Answer::kUncorrectable;
    fault = TERN_DMA_FAULT_ECC;
    index = head = 3;
  }
  bench.release(4, 20);
  bench.release(5, 20);
  bench.run();
  check_stop(bench, 4, fault, index, address);
  CHECK(bench.ring_register(4, TERN_REG_DMA_RING_HEAD) == head);
  CHECK(bench.ring_register(5, TERN_REG_DMA_RING_HEAD) == 20);
  // The first fault stays, whatever happens to the stopped ring.
  bench.poke(4 * 0x40 + TERN_REG_DMA_RING_ABORT, 1);
  bench.run_to(bench.now() + 2);
  check_stop(bench, 4, fault, index, address);
}

TEST_CASE("dma rtl: the index of a fault beyond the end of the ring counts from its start") {
  UnitBench bench(rtl());
  bench.set_up(4, 64);
  put_copies(bench, 4, 60);
  bench.release(4, 60);
  bench.run();
  const std::uint64_t to = kTo + 0x80000;
  for (unsigned p = 0; p < 8; ++p)
    bench.put(4, UnitBench::copy_pair(kFrom, 64, to + 64 * p, 64, p == 0, p == 7));
  bench.fate = [&](const Request& r) {
    return r.address == to + 64 * 5 ? Answer::kBadAddress : Answer::kGood;
  };
  bench.release(4, 8);
  bench.run();
  check_stop(bench, 4, TERN_DMA_FAULT_WRITE, 1, to + 64 * 5);
  CHECK(bench.ring_register(4, TERN_REG_DMA_RING_HEAD) == 60);
}

TEST_CASE("dma rtl: an answer to nothing stops ring 0") {
  UnitBench bench(rtl());
  bench.set_up(0, 64);
  Port port = Port::kWrite;
  SECTION("write") {}
  SECTION("descriptors") {
    port = Port::kDescriptors;
  }
  unsigned fault = TERN_DMA_FAULT_COMPLETION;
  SECTION("the first fault stays") {
    bench.release(0, 65);
    fault = TERN_DMA_FAULT_OVERRUN;
  }
  const std::uint64_t cycle = bench.now() + 3;
  const std::uint8_t data[64] = {};
  bench.unit->answer(cycle, port, 5, Answer::kGood, data);
  bench.run_to(cycle + 2);
  check_stop(bench, 0, fault, 0);
}

TEST_CASE("dma rtl: pairs made by hardware") {
  UnitBench bench(rtl());
  bench.memory.write(kFrom, "hardware made", 13);
  std::uint8_t pair[32];
  const auto words = UnitBench::copy_pair(kFrom, 13, kTo + 1, 13, true, true);
  std::memcpy(pair, words.tx, 16);
  std::memcpy(pair + 16, words.rx, 16);
  bench.run_to(49);
  REQUIRE(bench.unit->push_pair(50, 11, pair));
  bench.run();
  // Complete in 50, checked in 51, dispatched in 52, set-up in 53.
  REQUIRE(bench.done.size() == 1);
  CHECK(bench.done[0].begin == 52);
  CHECK(of(bench, Port::kRead)[0].cycle == 54);
  CHECK(of(bench, Port::kDescriptors).empty());
  CHECK(bench.memory.get(kTo + 1, 13) ==
        std::vector<std::uint8_t>{'h', 'a', 'r', 'd', 'w', 'a', 'r', 'e', ' ', 'm', 'a', 'd', 'e'});
  CHECK(bench.ring_register(11, TERN_REG_DMA_RING_HEAD) == 1);
  CHECK(bench.ring_register(11, TERN_REG_DMA_RING_RELEASED) == 1);
  // Room for 128.
  bench.latency = [](const Request&) { return std::uint64_t{5000}; };
  unsigned taken = 0;
  for (unsigned i = 0; i < 400; ++i) {
    taken += bench.unit->push_pair(bench.now(), 11, pair) ? 1 : 0;
    bench.run_to(bench.now());
  }
  // The buffer and what both sides are done with.
  CHECK(taken == 128 + 8);
  bench.run();
  CHECK(bench.ring_register(11, TERN_REG_DMA_RING_HEAD) == 1 + taken);
  // Not after pairs in memory that are still to be fetched, nor into a stopped ring.
  bench.set_up(12, 64);
  put_copies(bench, 12, 1);
  bench.release(12, 1);
  CHECK_FALSE(bench.unit->push_pair(bench.now(), 12, pair));
  bench.run();
  CHECK(bench.unit->push_pair(bench.now(), 12, pair));
  bench.run();
  bench.poke(12 * 0x40 + TERN_REG_DMA_RING_ABORT, 1);
  CHECK_FALSE(bench.unit->push_pair(bench.now(), 12, pair));
}

TEST_CASE("dma rtl: registers") {
  UnitBench bench(rtl());
  std::uint32_t value = 0;
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_CLASS) == 3);
  CHECK(bench.peek(TERN_REG_DMA_ENGINE_STATE) == 1);
  bench.poke(0x40 + TERN_REG_DMA_RING_CLASS, 1);
  CHECK(bench.ring_register(1, TERN_REG_DMA_RING_CLASS) == 1);
  for (unsigned c = 0; c < 4; ++c) {
    bench.poke(TERN_REG_DMA_QOS_RATE + 4 * c, 0x1234 + c);
    bench.poke(TERN_REG_DMA_QOS_DEPTH + 4 * c, 0xf4321 + c);
  }
  for (unsigned c = 0; c < 4; ++c) {
    CHECK(bench.peek(TERN_REG_DMA_QOS_RATE + 4 * c) == 0x1234 + c);
    CHECK(bench.peek(TERN_REG_DMA_QOS_DEPTH + 4 * c) == 0xf4321 + c);
  }
  bench.poke(TERN_REG_DMA_QOS_POLICY, 2);
  CHECK(bench.peek(TERN_REG_DMA_QOS_POLICY) == 2);
  // Invalid kinds of access, and offsets of no register.
  CHECK_FALSE(bench.unit->read_register(bench.now(), TERN_REG_DMA_RING_TAIL, value));
  CHECK_FALSE(bench.unit->read_register(bench.now(), TERN_REG_DMA_RING_ABORT, value));
  for (const std::uint32_t offset :
       {TERN_REG_DMA_RING_HEAD, TERN_REG_DMA_RING_STATUS, TERN_REG_DMA_RING_RELEASED,
        TERN_REG_DMA_RING_FAULT, TERN_REG_DMA_RING_CRC, TERN_REG_DMA_ENGINE_STATE}) {
    CHECK_FALSE(bench.unit->write_register(bench.now(), offset, 1));
  }
  for (const std::uint32_t offset : {0x1u, 0x404u, 0x40cu, 0x430u, 0x411u, 0x1000u, 0xffff'fff0u}) {
    CHECK_FALSE(bench.unit->read_register(bench.now(), offset, value));
    CHECK_FALSE(bench.unit->write_register(bench.now(), offset, 1));
  }
}
