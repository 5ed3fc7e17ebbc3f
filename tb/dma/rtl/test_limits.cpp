// SPDX-License-Identifier: Apache-2.0
// Situations that random programs rarely reach: full resources, stale state, an engine whose clock
// has stopped.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

#include "sw/spec/generated/dma.h"
#include "tb/dma/rtl/rtl_bench.h"

using namespace tern::tb;  // NOLINT: a test uses the names of its bench
using tern::dma::Answer;
using tern::dma::Port;
using tern::dma::Request;

namespace {

void check_copies(UnitBench& bench, std::uint64_t from, std::uint64_t to, unsigned bytes) {
  CHECK(bench.memory.get(to, bytes) == bench.memory.get(from, bytes));
}

void fill(UnitBench& bench, std::uint64_t from, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i += 4) {
    const std::uint32_t word = 0x1234'5678u * (i + 1);
    bench.memory.write(from + i, &word, 4);
  }
}

}  // namespace

TEST_CASE("dma rtl: as many lines of writes are under way as there are, and no more") {
  constexpr std::uint64_t kWait = 3000;
  UnitBench bench(rtl());
  bench.latency = [](const Request& r) {
    return r.port == Port::kWrite ? kWait : std::uint64_t{20};
  };
  constexpr unsigned kPairs = 8, kBytes = 0x8000;
  fill(bench, kFrom, kPairs * kBytes);
  bench.set_up(2, 64);
  for (unsigned i = 0; i < kPairs; ++i) {
    bench.put_copy(2, kFrom + i * kBytes, kTo + i * kBytes, kBytes);
  }
  bench.release(2, kPairs);
  bench.run();
  check_copies(bench, kFrom, kTo, kPairs * kBytes);
  const auto writes = of(bench, Port::kWrite);
  std::uint64_t most = 0;
  for (const SeenRequest& last : writes) {
    std::uint64_t lines = 0;
    for (const SeenRequest& r : writes) {
      if (r.cycle <= last.cycle && last.cycle < r.cycle + kWait) lines += (r.bytes + 63) / 64;
    }
    most = std::max(most, lines);
  }
  CHECK(most == TERN_DMA_WRITE_LINES);
}

TEST_CASE("dma rtl: an aborted packet's immediate that waits for writes is never written") {
  // Entry of the packet table, after as many packets.
  for (const unsigned entry : {0u, 1u, 37u, 63u}) {
    CAPTURE(entry);
    UnitBench bench(rtl());
    bench.set_up(3, 256);
    bench.set_up(8, 64);
    put_copies(bench, 3, entry + 63);
    bench.release(3, entry + 63);
    bench.run();
    bench.latency = [](const Request& r) {
      return std::uint64_t{r.port == Port::kWrite ? 800u : 20u};
    };
    bench.put_copy(3, kFrom, kTo, 64);
    bench.release(3, 1);
    bench.run_to(bench.now() + 100);
    bench.put_immediate(8, kTo + 0x8'0000, 0xabcd);
    bench.release(8, 1);
    bench.run_to(bench.now() + 200);
    bench.poke(8 * TERN_REG_DMA_RING_SIZE_STRIDE + TERN_REG_DMA_RING_ABORT, 1);
    bench.run();
    for (const SeenRequest& r : of(bench, Port::kWrite)) CHECK(r.address != kTo + 0x8'0000);
    CHECK(bench.ring_register(3, TERN_REG_DMA_RING_HEAD) == entry + 64);
    CHECK(bench.unit->at_rest());
  }
}

TEST_CASE("dma rtl: stale batches of a restarted ring stay stale when new ones enter behind them") {
  for (unsigned delay = 40; delay < 260; delay += 6) {
    CAPTURE(delay);
    UnitBench bench(rtl());
    for (const unsigned ring : {8u, 9u}) {
      bench.set_up(ring, 256);
      put_copies(bench, ring, 128);
      bench.release(ring, 128);
    }
    bench.run_to(bench.now() + delay);
    bench.poke(8 * TERN_REG_DMA_RING_SIZE_STRIDE + TERN_REG_DMA_RING_ABORT, 1);
    fill(bench, 0x50'0000, 30 * 64);
    bench.set_up(8, 48);
    for (unsigned i = 0; i < 30; ++i) {
      bench.put_copy(8, 0x50'0000 + 64 * i, 0x60'0000 + 64 * i, 64);
    }
    bench.release(8, 30);
    bench.run();
    CHECK(bench.ring_register(8, TERN_REG_DMA_RING_HEAD) == 30);
    CHECK(bench.ring_register(9, TERN_REG_DMA_RING_HEAD) == 128);
    CHECK(bench.stops.size() == 1);
    check_copies(bench, 0x50'0000, 0x60'0000, 30 * 64);
  }
}

TEST_CASE("dma rtl: an answer to no request leaves the pairs that have arrived alone") {
  UnitBench bench(rtl());
  bench.latency = [](const Request& r) {
    return std::uint64_t{r.port == Port::kDescriptors ? 20u : 4000u};
  };
  constexpr unsigned kPairs = 100;  // more than the packet table holds: the last ones wait unread
  fill(bench, kFrom, kPairs * 64);
  bench.set_up(4, 128);
  put_copies(bench, 4, kPairs);
  bench.release(4, kPairs);
  bench.run_to(bench.now() + 1000);
  const std::uint8_t zeros[1024] = {};
  for (const unsigned tag : {8u, 9u}) {  // ring 4, TX and RX
    bench.unit->answer(bench.now() + 20, Port::kDescriptors, tag, Answer::kGood, zeros);
    bench.run_to(bench.now() + 30);
  }
  bench.run();
  REQUIRE(bench.stops.size() == 1);
  CHECK(bench.stops[0].ring == 0);
  CHECK(bench.ring_register(4, TERN_REG_DMA_RING_HEAD) == kPairs);
  check_copies(bench, kFrom, kTo + 0x4'0000, kPairs * 64);
}

TEST_CASE("dma rtl: after a rest a packet takes the cycles that the first one took") {
  // The pause before a packet counts on after the last answer: the clock may stop later only.
  UnitBench bench(rtl(250));
  bench.latency = [](const Request&) { return std::uint64_t{3}; };
  bench.set_up(3, 64);
  put_copies(bench, 3, 2);
  std::uint64_t released[2];
  for (unsigned i = 0; i < 2; ++i) {
    bench.run_to(1999 + 1000 * i);
    released[i] = bench.now();
    bench.release(3, 1);
    bench.run();
  }
  const auto writes = of(bench, Port::kWrite);
  REQUIRE(writes.size() == 2);
  CHECK(writes[1].cycle - released[1] == writes[0].cycle - released[0]);
}

TEST_CASE("dma rtl: pairs made by hardware address all 64 bits") {
  for (unsigned bit = 10; bit < 64; ++bit) {
    CAPTURE(bit);
    UnitBench bench(rtl());
    const std::uint64_t from = std::uint64_t{1} << bit, to = (std::uint64_t{1} << bit) + 512;
    std::uint8_t pair[32];
    const auto words = UnitBench::copy_pair(from, 13, to, 13, true, true);
    std::memcpy(pair, words.tx, 16);
    std::memcpy(pair + 16, words.rx, 16);
    REQUIRE(bench.unit->push_pair(bench.now(), 11, pair));
    bench.run();
    const auto reads = of(bench, Port::kRead), writes = of(bench, Port::kWrite);
    REQUIRE(reads.size() == 1);
    REQUIRE(writes.size() == 1);
    CHECK(reads[0].address == from);
    CHECK(writes[0].address == to);
  }
}
