// SPDX-License-Identifier: Apache-2.0
// Model and RTL in lockstep while software disturbs: corrupted descriptors, aborts, restarts,
// pushed pairs, policies, failing requests. Any difference in any cycle is an exception.
#include <catch2/catch.hpp>

#include "systemc/cosim/dma_lockstep.h"
#include "systemc/cosim/dma_rtl.h"
#include "systemc/dma/model/unit_model.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"
#include "tb/dma/model/random_program.h"

using namespace tern;
using namespace tern::tb;

namespace {

UnitBench::Make both(const dma::UnitConfig& config) {
  return [config](dma::Environment& environment) {
    return make_dma_lockstep(
        "engine", config, environment, dma::make_unit_model,
        [](const dma::UnitConfig& c, dma::Environment& s) -> std::unique_ptr<dma::Unit> {
          return std::make_unique<dma::DmaRtl>(c, s, bench_wave());
        });
  };
}

// One run of an engine. rough: with all errors that software and memory can make.
void live(std::uint64_t seed, bool rough, unsigned steps) {
  CAPTURE(seed, rough);
  std::mt19937_64 random(seed);
  const auto number = [&](std::uint64_t below) { return random() % below; };
  dma::UnitConfig config;
  config.descriptor_cycles = static_cast<unsigned>(number(9));
  config.pace = static_cast<unsigned>(number(3) == 0 ? 0 : number(1024));
  config.policy = static_cast<unsigned>(number(3));
  for (unsigned c = 0; c < 4; ++c) {
    config.rate_256[c] = static_cast<std::uint32_t>(number(2) == 0 ? 0 : number(8000));
    config.depth[c] = static_cast<std::uint32_t>(number(100000));
  }
  UnitBench bench(both(config));
  bench.keeps_record = false;
  RandomProgram program(seed, bench);
  const std::uint64_t slow = number(3) * 300 + 1;
  const std::uint64_t failing = rough ? 200 + number(2000) : UINT64_MAX;
  bench.latency = [&, slow](const dma::Request&) { return 1 + number(slow); };
  bench.fate = [&, failing](const dma::Request&) {
    if (number(failing) != 0) return dma::Answer::kGood;
    return number(2) == 0 ? dma::Answer::kBadAddress : dma::Answer::kUncorrectable;
  };
  constexpr unsigned kRings = 6, kPushed = 9;
  std::uint32_t released[kRings];
  const auto set_up = [&](unsigned r) {
    // Anywhere above the data: every bit of an address, every position in a window of 1 KiB.
    const auto anywhere = [&] { return (1ull << 63 | number(1ull << 63)) & ~0xFFull; };
    bench.move_lists(r, anywhere(), anywhere());
    bench.set_up(r, 256, static_cast<unsigned>(number(4)));
    released[r] = 0;
  };
  for (unsigned r = 0; r < kRings; ++r) set_up(r);
  for (unsigned step = 0; step < steps; ++step) {
    const auto r = static_cast<unsigned>(number(kRings));
    const std::uint64_t what = number(100);
    if (what < 6) {
      const auto pair = UnitBench::copy_pair(RandomProgram::kSources + number(1000), 200,
                                             0x9000'0000 + 4096 * step, 200, true, true);
      std::uint8_t bytes[32];
      std::memcpy(bytes, pair.tx, 16);
      std::memcpy(bytes + 16, pair.rx, 16);
      bench.unit->push_pair(bench.now(), kPushed, bytes);
    } else if (rough && what < 9) {
      bench.poke(r * 0x40 + TERN_REG_DMA_RING_ABORT, 1);
    } else if (rough && (what < 13 || bench.ring_register(r, TERN_REG_DMA_RING_STATUS) >= 3)) {
      set_up(r);
    } else if (what < 15) {
      bench.poke(TERN_REG_DMA_QOS_POLICY, static_cast<std::uint32_t>(number(3)));
      bench.poke(static_cast<std::uint32_t>(TERN_REG_DMA_QOS_RATE + 4 * number(4)),
                 static_cast<std::uint32_t>(number(10000)));
    } else if (256 - (released[r] - bench.ring_register(r, TERN_REG_DMA_RING_HEAD)) < 64) {
      bench.run_to(bench.now() + 500);
    } else {
      const bool spoil = rough && number(25) == 0;
      const unsigned pairs = spoil ? program.add_spoiled(r) : program.add(r);
      released[r] += pairs;
      bench.release(r, pairs);
      if (rough && number(60) == 0) bench.release(r, 300);  // more than the ring holds
    }
    bench.run_to(bench.now() + number(150));
    for (const std::uint32_t reg :
         {TERN_REG_DMA_RING_HEAD, TERN_REG_DMA_RING_STATUS, TERN_REG_DMA_RING_FAULT,
          TERN_REG_DMA_RING_FAULT_INDEX, TERN_REG_DMA_RING_CRC}) {
      bench.ring_register(r, reg);
    }
  }
  bench.run();
  bench.run_to(bench.now() + 10);
  CHECK(bench.unit->at_rest());
  if (!rough) {
    CHECK(bench.stops.empty());
    CHECK(program.good());
  }
}

}  // namespace

TEST_CASE("Model and RTL in lockstep, well-behaved software", "[dma]") {
  for (std::uint64_t i = 0; i < 4; ++i) live(test_seed() * 1000 + i, false, 25);
}

TEST_CASE("Model and RTL in lockstep, software and memory that fail", "[dma]") {
  for (std::uint64_t i = 0; i < 8; ++i) live(test_seed() * 1000 + 500 + i, true, 40);
}

TEST_CASE("Model and RTL in lockstep for long", "[dma][long]") {
  for (std::uint64_t i = 0; i < 60; ++i) {
    live(test_seed() * 100'000 + 1000 + i, i % 3 != 0, 200);
  }
}
