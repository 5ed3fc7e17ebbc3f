// SPDX-License-Identifier: Apache-2.0
// Programs on several chips of a system: what crosses between them, in bits and in time.
#include <catch2/catch.hpp>
#include <string>

#include "sw/base/user_error.h"
#include "systemc/trace/sim_time.h"
#include "tb/chips/chips_bench.h"

using namespace tern;  // NOLINT: test file
using Catch::Contains;
using kernels::DType;
using kernels::KernelBuilder;
using tb::ChipsBench;
using tb::kPipeLatency;
using tb::random_values;
using tb::sum_part;
using tb::sums;
using tb::Values;

namespace {}  // namespace

TEST_CASE("chips: a sum over four of them has the bits of its defined order") {
  ChipsBench bench("trn2-nl16", 4);
  bench.simulation.run([&] {
    constexpr unsigned kParts = 4, kColumns = 32;
    const std::vector<Values> x = random_values(kParts, kColumns);
    const auto got = sums(bench, {{0, 0}, {1, 0}, {2, 3}, {3, 0}}, x, true);
    CHECK(bench.pipe->transfers > 0);
    for (unsigned i = 0; i < x[0].size(); ++i) {
      // Part k owns a quarter of the partitions: it adds the sum of the next ones to its own.
      const unsigned owner = i / kColumns * kParts / 128;
      const auto of = [&](unsigned n) { return x[(owner + n) % kParts][i]; };
      float others = of(1);
      others = others + of(2);
      others = others + of(3);
      const float want = of(0) + others;
      for (unsigned part = 0; part < kParts; ++part) REQUIRE(got[part][i] == want);
    }
    // The same on four cores of one chip.
    const std::uint64_t before = bench.pipe->transfers;
    CHECK(sums(bench, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}, x, false) == got);
    CHECK(bench.pipe->transfers == before);
    // A chip's address of itself stays in it.
    CHECK(sums(bench, {{1, 0}, {1, 1}, {1, 2}, {1, 3}}, x, true) == got);
    CHECK(bench.pipe->transfers == before);
  });
}

TEST_CASE("chips: an access takes the way of its request and of its answer") {
  ChipsBench bench("trn2-nl16", 2);
  bench.simulation.run([&] {
    // A copy of a few bytes to the other chip, or from it.
    const auto time_of = [&](bool write, fabric::Time latency) {
      bench.pipe->set_latency(latency);
      KernelBuilder kb("copy", bench.config);
      kb.check_use(false);  // any bytes
      kb.join_parts(0, 1);
      const kernels::Tile tile = kb.sbuf_tile("x", 1, 32, DType::kFp32);
      const kernels::Tile other = kb.sbuf_tile("y", 1, 32, DType::kFp32);
      kernels::DmaView there{kernels::TileView(other)};
      there.base = {DmaAddress::Space::kPeer, 1, there.base.offset};
      write ? kb.dma_copy(there, kernels::TileView(tile))
            : kb.dma_copy(kernels::TileView(tile), there);
      runtime::Runtime& runtime = bench.runtime(0);
      auto program = runtime.load(
          kb.finish(), {}, 0, {bench.chip_system->window(0, 0), bench.chip_system->window(1, 0)});
      bench.chip_system->chip(0).settle();
      const runtime::RunResult result = runtime.run(program);
      return to_fs(result.end - result.start);
    };
    constexpr fabric::Time kMore = 1'000'000'000;  // whole cycles of all clocks
    for (const bool write : {false, true}) {
      const std::uint64_t base = time_of(write, kPipeLatency);
      CHECK(time_of(write, kPipeLatency + kMore) == base + 2 * kMore);
    }
  });
}

TEST_CASE("chips: an access to a chip that is not there, or cannot be reached, is an error") {
  ChipsBench bench("trn2-nl16", 2);
  bench.simulation.run([&] {
    const std::vector<Values> x = random_values(2, 4);
    const auto failure = [&](unsigned chip) {
      const std::uint64_t window =
          chip_base(system::place_of_chip(bench.fabric, chip)) +
          (bench.chip_system->window(0, 0) & address_in_chip(~std::uint64_t{0}));
      try {
        Executable program = sum_part(bench.config, 0, 2, 4, true);
        runtime::Runtime& runtime = bench.runtime(0);
        runtime::Buffer in = runtime.allocate("x", 4 * x[0].size());
        runtime::Buffer out = runtime.allocate("y", 4 * x[0].size());
        auto loaded = runtime.load(std::move(program), {{"x", &in}, {"y", &out}}, 0,
                                   {bench.chip_system->window(0, 0), window});
        runtime.run(loaded);
      } catch (const RunError& error) {
        bench.runtime(0).reset(0);
        return std::string(error.what());
      }
      return std::string("none");
    };
    // Chip 7 of the system exists, but is not populated.
    const std::string absent = failure(7);
    INFO(absent);
    CHECK_THAT(absent, Contains("a destination address outside every unit, 0x30a0020001920"));
    bench.pipe->broken = true;
    const std::string lost = failure(1);
    INFO(lost);
    CHECK_THAT(lost, Contains("a destination address outside every unit, 0xa0020001920"));
  });
}

// Nobody has told the runtime about the other chips.
TEST_CASE("chips: a part that waits for another chip is deadlocked only at its time limit") {
  ChipsBench bench("trn2-nl16", 2);
  bench.simulation.run([&] {
    // Its partner never starts.
    runtime::Runtime& runtime = bench.runtime(0);
    runtime::Buffer in = runtime.allocate("x", 128 * 4 * sizeof(float));
    runtime::Buffer out = runtime.allocate("y", 128 * 4 * sizeof(float));
    auto loaded = runtime.load(sum_part(bench.config, 0, 2, 4, true), {{"x", &in}, {"y", &out}}, 0,
                               {bench.chip_system->window(0, 0), bench.chip_system->window(1, 0)});
    runtime.execute(loaded);
    const std::uint64_t begin = now_fs();
    constexpr double kLimit = 2e-3;
    CHECK_THROWS_WITH(runtime.wait(loaded, kLimit), Contains("is deadlocked"));
    CHECK(static_cast<double>(now_fs() - begin) * 1e-15 == Approx(kLimit).epsilon(0.05));
  });
}
