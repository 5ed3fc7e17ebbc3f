// SPDX-License-Identifier: Apache-2.0
// Bad input of every kind: the engine stops that ring with the fault it names, and the others
// finish. (That model and RTL do it in the same cycles: test_against_rtl.cpp.)
#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "systemc/cosim/dma_rtl.h"
#include "systemc/dma/model/unit_model.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"
#include "tb/dma/model/hostile_program.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

namespace {

dma::UnitConfig config_of(std::uint64_t seed) {
  dma::UnitConfig config;
  config.descriptor_cycles = 1 + static_cast<unsigned>(seed % 6);
  config.policy = static_cast<unsigned>(seed % 3);
  for (unsigned c = 0; c < 4; ++c) {
    config.rate_256[c] = 1024 * (4 - c);
    config.depth[c] = 2048;
  }
  return config;
}

// What the good rings of a program must show, whatever happens to the others.
void check_good_rings(UnitBench& bench, const HostileProgram& program,
                      std::map<unsigned, unsigned>& faults) {
  for (const SeenStop& stop : bench.stops) {
    ++faults[stop.fault];
    if (stop.ring < program.rings().size()) CHECK_FALSE(program.rings()[stop.ring].good);
  }
  for (unsigned r = 0; r < program.rings().size(); ++r) {
    const HostileProgram::Ring& ring = program.rings()[r];
    const std::uint32_t status = bench.ring_register(r, TERN_REG_DMA_RING_STATUS);
    CAPTURE(r);
    if (!ring.good) {
      const bool stopped = bench.ring_register(r, TERN_REG_DMA_RING_FAULT) != 0;
      CHECK((status == 3 || status == 4) == stopped);
      continue;
    }
    CHECK(ring.todo.empty());
    CHECK(status == 0);
    CHECK(bench.ring_register(r, TERN_REG_DMA_RING_RELEASED) == ring.released);
    std::uint32_t pairs = 0;
    for (const SeenDone& done : bench.done) pairs += done.ring == r ? done.pairs : 0;
    CHECK(pairs == ring.released);
  }
}

template <typename Make>
void run_programs(const char* name, unsigned programs, Make make) {
  std::map<unsigned, unsigned> faults;
  for (unsigned i = 0; i < programs; ++i) {
    const std::uint64_t seed = test_seed() * 1000 + i;
    CAPTURE(seed);
    UnitBench bench(
        [&](dma::Environment& environment) { return make(config_of(seed), environment); });
    HostileProgram program(seed, bench);
    program.run();
    check_good_rings(bench, program, faults);
  }
  std::printf("dma hostile, %s: stops by fault:", name);
  for (const auto& [fault, count] : faults) std::printf(" %u x %u", count, fault);
  std::printf("\n");
  CHECK(faults.size() >= 9);
}

}  // namespace

TEST_CASE("dma hostile: the model stops the ring concerned and no other") {
  run_programs("model", 150, [](const dma::UnitConfig& config, dma::Environment& environment) {
    return dma::make_unit_model(config, environment);
  });
}

TEST_CASE("dma hostile: the RTL stops the ring concerned and no other") {
  run_programs("RTL", 60, [](const dma::UnitConfig& config, dma::Environment& environment) {
    return std::make_unique<dma::DmaRtl>(config, environment, bench_wave());
  });
}
