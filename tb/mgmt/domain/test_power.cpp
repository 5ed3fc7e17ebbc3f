// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "systemc/mgmt/domain/power_control.h"
#include "tb/common/seed.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

// docs/reference/mgmt.md, power.
enum : unsigned { kTarget = 0, kLevel = 4, kStep = 8, kMaxStep = 12, kInterval = 16 };

struct Bench : WordBench {
  void run(std::function<void()> body) { WordBench::run(power, std::move(body)); }
  std::vector<std::uint32_t> targets;
  mgmt::PowerControl power{"power", 50, 10, [this](std::uint32_t target, const sc_core::sc_time&) {
                             targets.push_back(target);
                           }};
};

}  // namespace

TEST_CASE("power: a step per interval, up and down, and the target is met exactly") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.get(kMaxStep) == 50);
    CHECK(bench.get(kInterval) == 10);
    bench.put(kStep, 40);
    bench.put(kTarget, 1000);
    for (unsigned n = 0; n < 30; ++n) {
      const std::uint32_t expected = std::min(40 * n, 1000u);
      CHECK(bench.get(kLevel, us(10.0 * n)) == expected);
      CHECK(bench.get(kLevel, us(10.0 * n + 10) - moment()) == expected);
    }
    wait(us(95));  // 360
    bench.put(kTarget, 305);
    CHECK(bench.get(kLevel) == 360);
    CHECK(bench.get(kLevel, us(10)) == 320);
    CHECK(bench.get(kLevel, us(20)) == 305);
    wait(us(100));
    bench.put(kTarget, 0);
    CHECK(bench.get(kLevel, us(80)) == 0);
    CHECK(bench.targets == std::vector<std::uint32_t>{1000, 305, 0});
  });
}

TEST_CASE("power: steps stay in the range of the supply, targets in that of the chip") {
  Bench bench;
  bench.run([&] {
    for (const std::uint32_t step : {0u, 1u, 50u, 51u, 0xFFFFFFFFu}) {
      bench.put(kStep, step);
      CHECK(bench.get(kStep) == std::clamp(step, 1u, 50u));
    }
    bench.put(kTarget, 0xFFFFFFFF);
    CHECK(bench.get(kTarget) == 1000);
    wait(us(1000));
    CHECK(bench.get(kLevel) == 1000);
    bench.power.reset();
    CHECK(bench.get(kLevel) == 0);
    CHECK(bench.get(kTarget) == 0);
  });
}

TEST_CASE("power: whatever is written, no interval moves it by more than the largest step") {
  Bench bench;
  const std::uint64_t seed = test_seed();
  INFO("TERN_SEED=" << seed);
  std::mt19937_64 random(seed);
  bench.run([&] {
    std::uint32_t last = 0;
    for (int i = 0; i < 20'000; ++i) {
      if (random() % 4 == 0) bench.put(kTarget, static_cast<std::uint32_t>(random() % 1200));
      if (random() % 16 == 0) bench.put(kStep, static_cast<std::uint32_t>(random() % 100));
      wait(us(10));
      const std::uint32_t level = bench.get(kLevel);
      REQUIRE(std::max(level, last) - std::min(level, last) <= 50);
      last = level;
    }
  });
}

TEST_CASE("power: a snapshot continues at another time") {
  Bench bench;
  bench.run([&] {
    bench.put(kStep, 50);
    bench.put(kTarget, 500);
    wait(us(34));
    const auto state = bench.power.save();
    wait(us(1000));
    bench.power.restore(state);
    CHECK(bench.get(kLevel) == 150);
    CHECK(bench.get(kLevel, us(6) - moment()) == 150);
    CHECK(bench.get(kLevel, us(6)) == 200);
    CHECK(bench.get(kLevel, us(1000)) == 500);
  });
}
