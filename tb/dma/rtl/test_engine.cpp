// SPDX-License-Identifier: Apache-2.0
// The whole engine in RTL at its ports: random programs against bytes worked out by the bench.
#include <catch2/catch.hpp>

#include "systemc/cosim/dma_rtl.h"
#include "tb/common/bench_wave.h"
#include "tb/common/check_mismatch.h"
#include "tb/common/seed.h"
#include "tb/dma/rtl/ring_program.h"
#include "tb/dma/rtl/two_benches.h"

using tern::tb::RingProgram;
using tern::tb::UnitBench;

namespace {

UnitBench::Make rtl(const tern::dma::UnitConfig& config) {
  return [config](tern::dma::Environment& s) {
    return std::make_unique<tern::dma::DmaRtl>(config, s, tern::tb::bench_wave());
  };
}

tern::dma::UnitConfig config_of(std::uint64_t seed) {
  tern::dma::UnitConfig config;
  config.descriptor_cycles = seed % 3 == 0 ? 5 : static_cast<unsigned>(seed % 7);
  config.pace = seed % 4 == 1 ? 64 : 0;
  config.policy = static_cast<unsigned>(seed % 3);
  for (unsigned c = 0; c < 4; ++c) {
    config.rate_256[c] = 2048 * (c + 1);
    config.depth[c] = 4096;
  }
  return config;
}

}  // namespace

TEST_CASE("Engine RTL: random packets of every kind give the promised bytes", "[dma]") {
  for (std::uint64_t i = 0; i < 24; ++i) {
    const std::uint64_t seed = tern::tb::test_seed() * 1000 + i;
    CAPTURE(seed);
    UnitBench bench(rtl(config_of(seed)));
    if (i % 2 == 1) bench.latency = tern::tb::scattered;
    RingProgram::Shape shape;
    shape.rings = i % 3 == 0 ? 16 : 1 + i % 4;
    shape.packets = i % 3 == 0 ? 8 : 30;
    shape.small_rings = i % 4 >= 2;
    RingProgram program(seed, shape, bench);
    program.run();
    CHECK(bench.stops.empty());
    for (unsigned ring = 0; ring < program.rings(); ++ring) {
      CAPTURE(ring);
      CHECK(bench.ring_register(ring, TERN_REG_DMA_RING_HEAD) == program.pairs(ring));
      CHECK(bench.ring_register(ring, TERN_REG_DMA_RING_STATUS) == 0);
    }
    CHECK(bench.peek(TERN_REG_DMA_ENGINE_STATE) == 1);
    CHECK(bench.unit->at_rest());
    CHECK_NO_MISMATCH(program.differences());
  }
}

TEST_CASE("dma rtl: engines come and go in any order", "[dma_rtl]") {
  struct Deaf : tern::dma::Environment {
    void request(const tern::dma::Request&) override {}
    void ring_stopped(std::uint64_t, unsigned, unsigned, std::uint32_t, std::uint64_t) override {}
    void packet_done(std::uint64_t, std::uint64_t, unsigned, std::uint32_t, unsigned) override {}
  } deaf;
  const tern::dma::UnitConfig config;
  auto first = std::make_unique<tern::dma::DmaRtl>(config, deaf, tern::tb::bench_wave());
  auto second = std::make_unique<tern::dma::DmaRtl>(config, deaf, tern::tb::bench_wave());
  auto third = std::make_unique<tern::dma::DmaRtl>(config, deaf, tern::tb::bench_wave());
  first.reset();
  third.reset();
  second->advance(10);
  CHECK(second->at_rest());
}

// Not a test: tb/common/check_failing_text.sh runs it.
TEST_CASE("a mismatch on purpose: DMA engine", "[.]") {
  UnitBench bench(rtl(config_of(0)));
  RingProgram::Shape shape;
  shape.rings = 1;
  RingProgram program(tern::tb::test_seed(), shape, bench);
  program.run();
  program.spoil();
  CHECK_NO_MISMATCH(program.differences());
}
