// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>

#include "systemc/cosim/datapath_factory.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"
#include "tb/core/bench/core_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

// The core does not depend on its back end: model and RTL side by side, every bit and cycle
// compared.
CoreOptions lockstep(const std::shared_ptr<CosimStatistics>& statistics) {
  CoreOptions options;
  const auto wave = [](const std::string& /*place*/) { return bench_wave(); };
  const DatapathFactory factory = make_cosim_factory(statistics, nullptr, wave);
  options.make_datapath = [factory](DatapathRequest request) {
    request.backend = Backend::kBoth;
    return factory(request);
  };
  return options;
}

}  // namespace

TEST_CASE(
    "core with RTL: products, eviction by two engines and host access, in lockstep with the "
    "model") {
  auto statistics = std::make_shared<CosimStatistics>();
  CoreBench bench(test_core_config(), lockstep(statistics));
  CoreBench::run(bench, [&] {
    std::mt19937_64 random(test_seed());
    for (unsigned p = 0; p < 128; ++p) {
      std::vector<std::uint16_t> row(1024);
      for (auto& v : row)
        v = static_cast<std::uint16_t>(0x3F00 + random() % 0x100 + (random() % 2) * 0x8000);
      bench.poke(p, 0, row);
    }
    bench.poke_psum(3, 4000, {1.5f, -2.5f});
    CHECK(bench.peek_psum(3, 3999, 3) == std::vector<float>{0.0f, 1.5f, -2.5f});

    wait(sc_time(10'000, SC_NS) - sc_core::sc_time_stamp());
    const auto evaluated = statistics->cycles_simulated();
    const auto load = load_stationary(ap(place(0, 0), 128), 128, 128);
    const auto multiply = [](unsigned bank, bool accumulate) {
      return updates(multiply_moving(ap(place(0, 256), 512), ap(place(0, 2048 * bank, kPsum), 512),
                                     128, 128, accumulate),
                     TERN_UPD_OP_INC, 0);
    };
    const auto evict = [](unsigned bank, std::uint32_t to, unsigned when) {
      const Operand dst{ap(place(0, to), 512), TERN_DTYPE_BF16};
      const Operand src{ap(place(0, 2048 * bank, kPsum), 512), TERN_DTYPE_FP32};
      return waits(updates(elementwise(TERN_OPCODE_TENSOR_COPY, 128, dst, src), TERN_UPD_OP_INC, 1),
                   TERN_WAIT_COND_GE, 0, when);
    };
    bench.start(TERN_QUEUE_TENSOR, {load, multiply(0, false), multiply(0, true), multiply(1, false),
                                    multiply(2, false), halt()});
    bench.start(TERN_QUEUE_VECTOR, {evict(0, 8192, 2), evict(2, 16384, 4), halt()});
    bench.start(TERN_QUEUE_SCALAR, {evict(1, 32768, 3), halt()});
    // The same times as with the model: issue after the load, then N cycles each.
    const sc_time issue = sc_time(10'150 + (1 + 32 + 1) * 0.5, SC_NS);
    for (unsigned i = 1; i <= 4; ++i) {
      CHECK(bench.when(0, i) == issue + sc_time((i * 512 + 128 + 2) * 0.5, SC_NS));
    }
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    CHECK(bench.semaphore(1) == 3);
    for (unsigned p = 0; p < 128; p += 17) {
      CHECK(bench.peek<std::uint16_t>(p, 16384, 512) == bench.peek<std::uint16_t>(p, 32768, 512));
    }
    // The array was clocked while it had work and at no other time.
    const auto cycles = statistics->cycles_simulated() - evaluated;
    CHECK(cycles > 4 * 512);
    wait(sc_time(1, sc_core::SC_MS));
    CHECK(statistics->cycles_simulated() - evaluated == cycles);
  });
}

TEST_CASE("core with RTL: short loops, one instruction in flight many times, updates at read") {
  constexpr unsigned kTurns = 300;  // more than there are tags
  auto statistics = std::make_shared<CosimStatistics>();
  CoreBench bench(test_core_config(), lockstep(statistics));
  CoreBench::run(bench, [&] {
    for (unsigned p = 0; p < 128; ++p) {
      std::vector<std::uint16_t> row(128);
      row[p] = 0x3F80;  // identity
      bench.poke(p, 0, row);
      bench.poke<std::uint16_t>(p, 1024, std::vector<std::uint16_t>(8, 0x3F80));
    }
    const auto multiply = [](bool accumulate) {
      return multiply_moving(ap(place(0, 1024), 8), ap(place(0, 0, kPsum), 8), 128, 128,
                             accumulate);
    };
    auto last = updates(multiply(true), TERN_UPD_OP_INC, 1);
    last.header.upd_when = TERN_UPD_WHEN_READ;
    bench.start(TERN_QUEUE_TENSOR,
                {load_stationary(ap(place(0, 0), 128), 128, 128), multiply(false),
                 loop(1, kTurns - 2), multiply(true), last, halt()});
    // As soon as the last one has read, its operand may be overwritten.
    bench.when(1, 1);
    for (unsigned p = 0; p < 128; ++p) {
      bench.poke<std::uint16_t>(p, 1024, std::vector<std::uint16_t>(8, 0x4000));
    }
    REQUIRE(bench.finish() == TERN_ERROR_NONE);
    CHECK(bench.peek_psum(77, 0, 8) == std::vector<float>(8, kTurns));
  });
}
