// SPDX-License-Identifier: Apache-2.0
// The comparison itself: two models agree, and the first difference is reported.
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "systemc/cosim/dma_lockstep.h"
#include "systemc/dma/model/unit_model.h"
#include "tb/dma/model/random_program.h"

using namespace tern;
using namespace tern::tb;

namespace {

dma::UnitFactory model(unsigned descriptor_cycles) {
  return [descriptor_cycles](dma::UnitConfig config, dma::Environment& environment) {
    config.descriptor_cycles = descriptor_cycles;
    return dma::make_unit_model(config, environment);
  };
}

UnitBench::Make pair(unsigned first, unsigned second) {
  return [=](dma::Environment& environment) {
    return make_dma_lockstep("core0 dma3", {}, environment, model(first), model(second));
  };
}

}  // namespace

TEST_CASE("Lockstep of two equal engines changes nothing", "[dma]") {
  UnitBench bench(pair(5, 5));
  RandomProgram program(7, bench);
  bench.set_up(0, 1024);
  std::uint32_t released = 0;
  for (unsigned i = 0; i < 20; ++i) {
    const unsigned pairs = program.add(0);
    bench.release(0, pairs);
    released += pairs;
  }
  bench.run();
  CHECK(program.good());
  CHECK(bench.ring_register(0, TERN_REG_DMA_RING_HEAD) == released);
  CHECK(bench.unit->at_rest());
}

TEST_CASE("Lockstep reports the engine, the request and both cycles of the first difference",
          "[dma]") {
  UnitBench bench(pair(5, 6));
  bench.set_up(0, 64);
  for (unsigned i = 0; i < 4; ++i) bench.put_copy(0, 0x10000, 0x20000 + 4096 * i, 64);
  std::string text;
  try {
    bench.release(0, 4);
    bench.run();
  } catch (const RunError& error) {
    text = error.what();
  }
  CAPTURE(text);
  CHECK(text.find("core0 dma3: model and RTL differ") == 0);
  CHECK(text.find("write of 0x21000, 64 bytes") != std::string::npos);
  CHECK(text.find("nothing") != std::string::npos);
}
