// SPDX-License-Identifier: Apache-2.0
// The model against what transfers mean, whatever memory does with time.
#include <catch2/catch.hpp>

#include "systemc/dma/model/unit_model.h"
#include "tb/common/seed.h"
#include "tb/dma/model/random_program.h"

using namespace tern;
using namespace tern::tb;

namespace {

UnitBench::Make model(unsigned descriptor_cycles = 5, unsigned pace = 168) {
  dma::UnitConfig config;
  config.descriptor_cycles = descriptor_cycles;
  config.pace = pace;
  return [config](dma::Environment& s) { return dma::make_unit_model(config, s); };
}

constexpr std::uint64_t kFrom = 0x10000, kTo = 0x900000;

}  // namespace

TEST_CASE("Random transfers of all kinds on four rings", "[dma]") {
  for (std::uint64_t round = 0; round < 20; ++round) {
    const std::uint64_t seed = test_seed() * 1000 + round;
    CAPTURE(seed);
    UnitBench bench(model(static_cast<unsigned>(round % 7), static_cast<unsigned>(round * 50)));
    RandomProgram program(seed, bench);
    bench.latency = [&](const dma::Request&) { return 1 + program.number(round % 3 * 200 + 1); };
    std::uint32_t released[4] = {0, 0, 0, 0};
    for (unsigned r = 0; r < 4; ++r) bench.set_up(r, 256, r);
    for (unsigned step = 0; step < 30; ++step) {
      const auto r = static_cast<unsigned>(program.number(4));
      const std::uint32_t room =
          256 - (released[r] - bench.ring_register(r, TERN_REG_DMA_RING_HEAD));
      if (room < 64) {
        bench.run_to(bench.now() + 1000);
        continue;
      }
      const unsigned pairs = program.add(r);
      released[r] += pairs;
      // Sometimes in two parts, so that a packet is cut by a fetch.
      const auto part = static_cast<unsigned>(program.number(pairs + 1));
      if (part != 0) bench.release(r, part);
      bench.run_to(bench.now() + program.number(300));
      if (part != pairs) bench.release(r, pairs - part);
    }
    bench.run();
    CHECK(bench.stops.empty());
    CHECK(program.good());
    CHECK(bench.unit->at_rest());
    for (unsigned r = 0; r < 4; ++r) {
      CHECK(bench.ring_register(r, TERN_REG_DMA_RING_HEAD) == released[r]);
      CHECK(bench.ring_register(r, TERN_REG_DMA_RING_STATUS) == 0);
      if (program.crc(r) != 0) {
        CHECK(bench.ring_register(r, TERN_REG_DMA_RING_CRC) == program.crc(r));
      }
    }
  }
}

TEST_CASE("A ring wraps and its phase continues", "[dma]") {
  UnitBench bench(model());
  bench.set_up(0, 32);
  std::vector<std::uint8_t> data(64, 7);
  bench.memory.write(kFrom, data.data(), 64);
  for (unsigned i = 0; i < 200; ++i) {
    bench.put_copy(0, kFrom, kTo + 64 * i, 64);
    bench.release(0, 1);
    if (i % 20 == 19) bench.run();
  }
  bench.run();
  CHECK(bench.done.size() == 200);
  CHECK(bench.stops.empty());
  CHECK(bench.memory.get(kTo + 64 * 199, 64) == data);
}

TEST_CASE("A stale descriptor stops its ring and no other", "[dma]") {
  UnitBench bench(model());
  bench.set_up(0, 32);
  bench.set_up(1, 32);
  bench.put_copy(0, kFrom, kTo, 64);
  bench.put_copy(1, kFrom, kTo + 0x1000, 64);
  bench.release(0, 2);  // the second one was never written
  bench.release(1, 1);
  bench.run();
  REQUIRE(bench.stops.size() == 1);
  CHECK(bench.stops[0].ring == 0);
  CHECK(bench.stops[0].fault == TERN_DMA_FAULT_PHASE);
  CHECK(bench.stops[0].index == 1);
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_STATUS) == 3);
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_FAULT) == TERN_DMA_FAULT_PHASE);
  CHECK(bench.ring_register(1, TERN_REG_DMA_RING_HEAD) == 1);
  // Doorbells do nothing until it is set up again.
  bench.release(0, 1);
  bench.run();
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_RELEASED) == 2);
  bench.set_up(0, 32);
  bench.put_copy(0, kFrom, kTo, 64);
  bench.release(0, 1);
  bench.run();
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_HEAD) == 1);
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_FAULT) == 0);
}

TEST_CASE("Faults of registers: base, size, overrun", "[dma]") {
  UnitBench bench(model());
  bench.set_up(0, 32);
  bench.release(0, 33);
  bench.release(1, 1);
  bench.poke(2 * 0x40 + TERN_REG_DMA_RING_SIZE, 40);
  bench.poke(3 * 0x40 + TERN_REG_DMA_RING_SIZE, 32);
  bench.poke(3 * 0x40 + TERN_REG_DMA_RING_TX_BASE, 128);
  bench.release(3, 1);
  bench.run();
  REQUIRE(bench.stops.size() == 4);
  CHECK(bench.stops[0].fault == TERN_DMA_FAULT_OVERRUN);
  CHECK(bench.stops[1].fault == TERN_DMA_FAULT_BASE);
  CHECK(bench.stops[2].fault == TERN_DMA_FAULT_SIZE);
  CHECK(bench.stops[3].fault == TERN_DMA_FAULT_BASE);
  CHECK(bench.ring_register(2, TERN_REG_DMA_RING_SIZE) == 0);
}

TEST_CASE("Errors of memory: fetch, read, write and ECC name descriptor and address", "[dma]") {
  const auto outcome = [](dma::Port port, std::uint64_t address, dma::Answer answer) {
    UnitBench bench(model());
    bench.fate = [=](const dma::Request& r) {
      return r.port == port && r.address == address ? answer : dma::Answer::kGood;
    };
    bench.set_up(0, 64);
    for (unsigned i = 0; i < 4; ++i) bench.put_copy(0, kFrom + 64 * i, kTo + 64 * i, 64);
    bench.put_immediate(0, kTo + 0x1000, 1);
    bench.release(0, 5);
    bench.run();
    REQUIRE(bench.stops.size() == 1);
    CHECK(bench.unit->at_rest());
    // No completion after a failure.
    CHECK(bench.memory.get(kTo + 0x1000, 4) == std::vector<std::uint8_t>(4, 0));
    return bench.stops[0];
  };
  auto stop = outcome(dma::Port::kRead, kFrom + 128, dma::Answer::kBadAddress);
  CHECK(stop.fault == TERN_DMA_FAULT_READ);
  CHECK(stop.index == 2);
  CHECK(stop.address == kFrom + 128);
  stop = outcome(dma::Port::kWrite, kTo + 192, dma::Answer::kBadAddress);
  CHECK(stop.fault == TERN_DMA_FAULT_WRITE);
  CHECK(stop.index == 3);
  CHECK(stop.address == kTo + 192);
  stop = outcome(dma::Port::kRead, kFrom, dma::Answer::kUncorrectable);
  CHECK(stop.fault == TERN_DMA_FAULT_ECC);
  CHECK(stop.address == kFrom);
  stop = outcome(dma::Port::kDescriptors, UnitBench::base(0, false), dma::Answer::kBadAddress);
  CHECK(stop.fault == TERN_DMA_FAULT_FETCH);
  CHECK(stop.address == 0);
  stop = outcome(dma::Port::kDescriptors, UnitBench::base(0, true), dma::Answer::kUncorrectable);
  CHECK(stop.fault == TERN_DMA_FAULT_ECC);
  CHECK(stop.address == UnitBench::base(0, true));
}

TEST_CASE("An abort stops writing and the engine continues", "[dma]") {
  UnitBench bench(model());
  bench.set_up(0, 64);
  bench.set_up(1, 64);
  for (unsigned i = 0; i < 8; ++i) bench.put_copy(0, kFrom, kTo + 65536 * i, 65536);
  bench.put_copy(1, kFrom, kTo + 0x1000000, 64);
  bench.release(0, 8);
  bench.run_to(bench.now() + 1500);
  const std::size_t before = bench.requests.size();
  CHECK(before > 0);
  bench.poke(TERN_REG_DMA_RING_ABORT, 1);
  bench.release(1, 1);
  bench.run();
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_STATUS) == 4);
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_FAULT) == TERN_DMA_FAULT_ABORT);
  CHECK(bench.ring_register(1, TERN_REG_DMA_RING_HEAD) == 1);
  CHECK(bench.unit->at_rest());
  unsigned writes = 0;
  for (std::size_t i = before; i < bench.requests.size(); ++i) {
    writes += bench.requests[i].port == dma::Port::kWrite ? 1 : 0;
  }
  CHECK(writes <= 3);  // one piece in flight, one in the four stages, and that of ring 1
}

TEST_CASE("A wrong CRC stops the ring when the bytes are written", "[dma]") {
  UnitBench bench(model());
  bench.memory.write(kFrom, "123456789", 9);
  for (const bool wrong : {false, true}) {
    bench.set_up(0, 64);
    auto pair = UnitBench::copy_pair(kFrom, 9, kTo, 9, true, true);
    pair.rx[1] = 2u << TERN_DESC_CRC_LSB;
    pair.tx[1] = wrong ? 0xE3069282 : 0xE3069283;
    bench.put(0, pair);
    bench.release(0, 1);
    bench.run();
    CHECK(bench.ring_register(0, TERN_REG_DMA_RING_CRC) == 0xE3069283);
    CHECK(bench.ring_register(0, TERN_REG_DMA_RING_FAULT) ==
          (wrong ? TERN_DMA_FAULT_CRC : TERN_DMA_FAULT_NONE));
    CHECK(bench.memory.get(kTo, 9) == bench.memory.get(kFrom, 9));
  }
}

TEST_CASE("An answer to no request stops ring 0", "[dma]") {
  UnitBench bench(model());
  bench.unit->answer(5, dma::Port::kWrite, 3, dma::Answer::kGood, nullptr);
  bench.run();
  REQUIRE(bench.stops.size() == 1);
  CHECK(bench.stops[0].fault == TERN_DMA_FAULT_COMPLETION);
  CHECK(bench.stops[0].ring == 0);
  CHECK(bench.stops[0].cycle == 5);
}

TEST_CASE("A restart forgets everything in flight", "[dma]") {
  UnitBench bench(model());
  bench.latency = [](const dma::Request&) { return std::uint64_t{500}; };
  bench.set_up(0, 64);
  for (unsigned i = 0; i < 40; ++i) bench.put_copy(0, kFrom, kTo + 64 * i, 64);
  bench.release(0, 40);
  bench.run_to(bench.now() + 700);  // descriptors are here, reads are not
  bench.set_up(0, 64);
  std::vector<std::uint8_t> data(64, 9);
  bench.memory.write(kFrom + 0x1000, data.data(), 64);
  bench.put_copy(0, kFrom + 0x1000, kTo + 0x10000, 64);
  bench.release(0, 1);
  bench.run();
  CHECK(bench.stops.empty());
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_HEAD) == 1);
  CHECK(bench.done.size() == 1);
  CHECK(bench.memory.get(kTo + 0x10000, 64) == data);
}
