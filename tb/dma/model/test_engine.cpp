// SPDX-License-Identifier: Apache-2.0
// The engine on the chip: clock, sockets, doorbells, errors, pairs made by hardware.
#include <catch2/catch.hpp>

#include "tb/dma/model/engine_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {
constexpr std::uint64_t kFrom = 0x10000, kTo = 0x900000;
}

TEST_CASE("Engine: a copy in time of the chip, 1 GHz and a memory of 100 ns") {
  EngineBench bench(plain_engine());
  bench.run([&] {
    bench.set_up(3, 64);
    bench.memory.bytes.write(kFrom, "tern", 4);
    bench.put_copy(3, kFrom, kTo, 64);
    EngineBench::settle(1);
    bench.poke(3, TERN_REG_DMA_RING_TAIL, 1);  // at 1000 ns: cycle 1001
    EngineBench::settle();
    CHECK(bench.memory.bytes.get(kTo, 4) == std::vector<std::uint8_t>{'t', 'e', 'r', 'n'});
    REQUIRE(bench.memory.seen.size() == 4);
    // Decision in 1002. The answer of 1102 ns is at the port in 1103, that of RX in 1104;
    // checked in 1105, dispatched in 1106, read in 1108, there in 1209, moved in 1210, written in
    // 1214.
    CHECK(bench.memory.seen[0].fs == 1002'000'000);
    CHECK(bench.memory.seen[1].fs == 1003'000'000);
    CHECK(bench.memory.seen[2].fs == 1108'000'000);
    CHECK(bench.memory.seen[3].fs == 1214'000'000);
    CHECK(bench.memory.seen[3].traffic_class == 3);
    CHECK(bench.peek(3, TERN_REG_DMA_RING_HEAD) == 1);
    CHECK(bench.engine.counters().packets == 1);
    CHECK(bench.engine.counters().bytes == 64);
    // Dispatched in 1106; answered in 1315, done in 1316.
    CHECK(bench.engine.counters().busy_fs == 210'000'000);
    CHECK(bench.engine.at_rest());
  });
}

TEST_CASE("Engine: a doorbell has its latency, a later write to the same ring stays after it") {
  DmaConfig config = plain_engine();
  config.doorbell_latency_ns = 500;
  EngineBench bench(config);
  bench.run([&] {
    bench.set_up(0, 64);
    bench.put_copy(0, kFrom, kTo, 64);
    EngineBench::settle(1);
    bench.engine.doorbell(0, 1);
    CHECK(!bench.engine.at_rest());
    bench.poke(0, TERN_REG_DMA_RING_CLASS, 1);
    sc_core::wait(499, sc_core::SC_NS);
    CHECK(bench.memory.seen.empty());
    EngineBench::settle();
    REQUIRE(bench.memory.seen.size() == 4);
    CHECK(bench.memory.seen[0].fs == 1502'000'000);
    CHECK(bench.memory.seen[0].traffic_class == 3);
    CHECK(bench.memory.seen[2].traffic_class == 1);
  });
}

// Two queues ring at the same moment: which of their threads ran first must not show.
TEST_CASE("Engine: doorbells of one moment act in the order of their rings") {
  DmaConfig config = plain_engine();
  config.doorbell_latency_ns = 500;
  std::vector<std::uint64_t> fetched[2];
  EngineBench bench(config);
  bench.run([&] {
    for (const unsigned ring : {1u, 2u}) {
      bench.set_up(ring, 64);
      for (unsigned copy = 0; copy < 2; ++copy) bench.put_copy(ring, kFrom, kTo + ring * 4096, 64);
    }
    for (const unsigned first : {1u, 2u}) {
      EngineBench::settle(1);
      bench.memory.seen.clear();
      bench.engine.doorbell(first, 1);
      bench.engine.doorbell(3 - first, 1);
      EngineBench::settle();
      for (const auto& access : bench.memory.seen) fetched[first - 1].push_back(access.address);
    }
  });
  for (unsigned round = 0; round < 2; ++round) {
    REQUIRE(fetched[round].size() == 8);
    CHECK(fetched[round][0] == UnitBench::base(1, true) + round * 16);
  }
}

TEST_CASE("Engine: an address outside memory stops its ring and reports queue and descriptor") {
  EngineBench bench(plain_engine());
  bench.run([&] {
    bench.memory.end = 0x7100'0000'0000;
    bench.memory.bytes.write(kFrom, "tern", 4);
    bench.set_up(5, 64);
    bench.set_up(6, 64);
    bench.put_copy(5, kFrom, kTo, 64);
    bench.put_copy(5, 0x7f00'0000'0000, kTo, 64);
    bench.put_copy(5, kFrom, kTo + 64, 64);
    bench.put_copy(6, kFrom, kTo + 128, 64);
    bench.poke(5, TERN_REG_DMA_RING_TAIL, 3);
    bench.poke(6, TERN_REG_DMA_RING_TAIL, 1);
    EngineBench::settle();
    REQUIRE(bench.errors.size() == 1);
    CHECK(bench.errors[0].ring == 5);
    CHECK(bench.errors[0].code == TERN_ERROR_DMA_DESCRIPTOR);
    CHECK(bench.errors[0].detail == (TERN_DMA_FAULT_READ << 24 | 1));
    CHECK(bench.peek(5, TERN_REG_DMA_RING_FAULT_ADDRESS + 4) == 0x7f00);
    CHECK(bench.peek(5, TERN_REG_DMA_RING_STATUS) == 3);
    // The packet before is written, but not complete when the ring stops.
    CHECK(bench.peek(5, TERN_REG_DMA_RING_HEAD) == 0);
    CHECK(bench.memory.bytes.get(kTo, 4) == std::vector<std::uint8_t>{'t', 'e', 'r', 'n'});
    CHECK(bench.engine.ring_stopped(5));
    CHECK(bench.peek(6, TERN_REG_DMA_RING_HEAD) == 1);
    CHECK(bench.engine.at_rest());
    bench.set_up(5, 64);
    CHECK(bench.peek(5, TERN_REG_DMA_RING_STATUS) == 0);
    CHECK(!bench.engine.ring_stopped(5));
  });
}

TEST_CASE("Engine: register accesses that are none") {
  EngineBench bench(plain_engine());
  bench.run([&] {
    std::uint32_t word = 0;
    CHECK(bench.host.write(TERN_REG_DMA_RING_HEAD, &word, 4).status ==
          tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bench.host.read(TERN_REG_DMA_RING_TAIL, &word, 4).status ==
          tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bench.host.read(0x440, &word, 4).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.host.read(0x12, &word, 4).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.host.poke(TERN_REG_DMA_QOS_POLICY, std::uint32_t{2}) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.host.peek<std::uint32_t>(TERN_REG_DMA_QOS_POLICY) == 2);
    CHECK(bench.host.peek<std::uint32_t>(TERN_REG_DMA_ENGINE_STATE) == 1);
  });
}

TEST_CASE("Engine: pairs made by hardware, more than fit at once") {
  EngineBench bench(plain_engine());
  bench.run([&] {
    unsigned sent = 0, refused = 0;
    constexpr unsigned kPairs = 300;
    bool room = true;
    bench.engine.set_room_handler([&] { room = true; });
    for (unsigned i = 0; i < 64; ++i) bench.memory.bytes.write(kFrom + i, &i, 1);
    while (sent < kPairs) {
      const auto words = UnitBench::copy_pair(kFrom, 64, kTo + 64 * sent, 64, true, true);
      std::uint8_t pair[32];
      std::memcpy(pair, words.tx, 16);
      std::memcpy(pair + 16, words.rx, 16);
      if (bench.engine.push_pair(9, pair)) {
        ++sent;
        continue;
      }
      ++refused;
      room = false;
      while (!room) sc_core::wait(1, sc_core::SC_NS);
    }
    CHECK(refused > 0);
    EngineBench::settle();
    CHECK(bench.engine.ring_head(9) == kPairs);
    CHECK(bench.engine.at_rest());
    CHECK(bench.errors.empty());
    CHECK(bench.memory.bytes.get(kTo + 64 * 299, 64) == bench.memory.bytes.get(kFrom, 64));
    bench.poke(9, TERN_REG_DMA_RING_ABORT, 1);
    EngineBench::settle(1);
    CHECK(bench.peek(9, TERN_REG_DMA_RING_STATUS) == 4);
    std::uint8_t pair[32] = {};
    CHECK(!bench.engine.push_pair(9, pair));
  });
}

TEST_CASE("Engine clock: members are woken at the earliest time they requested") {
  struct Sleeper : dma::EngineClock::Member {
    std::function<void()> on_wake;
    std::vector<std::uint64_t> woken;
    void wake() override {
      woken.push_back(now_fs());
      if (on_wake) on_wake();
    }
  };
  Simulation simulation;
  dma::EngineClock clock("clock", 0.6);
  Sleeper a, b, c;
  const unsigned first = clock.add(a), second = clock.add(b), third = clock.add(c);
  // Out of a wake: itself later, one before it and one after it in this instant.
  b.on_wake = [&] {
    if (b.woken.size() > 1) return;
    clock.wake_at(second, now_fs() + 7);
    clock.wake_at(first, now_fs());
    clock.wake_at(third, now_fs());
  };
  simulation.run([&] {
    clock.wake_at(third, 900);
    clock.wake_at(first, 500);
    clock.wake_at(first, 300);
    clock.wake_at(first, 400);
    clock.wake_at(second, 500);
    sc_core::wait(1, sc_core::SC_PS);
    CHECK(a.woken == std::vector<std::uint64_t>{300, 500});
    CHECK(b.woken == std::vector<std::uint64_t>{500, 507});
    CHECK(c.woken == std::vector<std::uint64_t>{500});
    // 5/3 ns, rounded down.
    CHECK(clock.present() == 0);
    CHECK(clock.next_fs() == 1'666'666);
    sc_core::wait(1'665'666, sc_core::SC_FS);
    CHECK(clock.present() == 1);
    CHECK(clock.next_fs() == 3'333'333);
    clock.wake_at(third, now_fs());
    sc_core::wait(1, sc_core::SC_FS);
    CHECK(c.woken == std::vector<std::uint64_t>{500, 1'666'666});
  });
}
