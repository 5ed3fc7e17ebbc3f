// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sw/base/user_error.h"
#include "systemc/mgmt/domain/sensors.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

// docs/reference/mgmt.md, sensors.
enum : unsigned { kCount = 0, kKind = 0x100, kValue = 0x180, kLow = 0x200, kHigh = 0x280 };

struct Bench : WordBench {
  void run(std::function<void()> body) { WordBench::run(sensors, std::move(body)); }
  std::int32_t value(unsigned i, sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    return static_cast<std::int32_t>(get(kValue + 4 * i, ahead));
  }
  std::uint32_t level = 0;
  mgmt::Sensors sensors{"sensors",
                        {{"temperature", 1, -40'000, 60'000, -55'000, 95'000, 40},
                         {"power", 2, 60'000, 450'001, 0, 500'000, 0},
                         {"voltage", 3, 760, 740, 700, 800, 0}},
                        [this](const sc_core::sc_time&) { return level; }};
};

sc_core::sc_time ms(double value) {
  return {value, sc_core::SC_MS};
}

}  // namespace

TEST_CASE("sensors: kinds, limits, values by the power level") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.get(kCount) == 3);
    CHECK(bench.get(kKind) == 1);
    CHECK(bench.get(kKind + 8) == 3);
    CHECK(static_cast<std::int32_t>(bench.get(kLow)) == -55'000);
    CHECK(bench.get(kHigh + 4) == 500'000);
    CHECK(bench.get(kKind + 12) == 0);
    CHECK(bench.get(kValue + 12) == 0);
    CHECK(bench.value(0) == -40'000);
    CHECK(bench.value(1) == 60'000);
    CHECK(bench.value(2) == 760);
    bench.level = 333;
    CHECK(bench.value(1) == 60'000 + 390'001 * 333 / 1000);
    CHECK(bench.value(2) == 760 - 6);
    bench.level = 1000;
    CHECK(bench.value(1) == 450'001);
    CHECK(bench.value(2) == 740);
    bench.put(kValue, 5);
    CHECK(bench.value(0) == -40'000);
  });
}

TEST_CASE("sensors: a temperature follows at its rate, from where it is") {
  Bench bench;
  bench.run([&] {
    bench.sensors.set_target(1000, sc_core::sc_time_stamp());
    CHECK(bench.value(0, us(1)) == -40'000);
    CHECK(bench.value(0, us(25)) == -39'999);
    CHECK(bench.value(0, ms(1)) == -39'960);
    CHECK(bench.value(0, ms(2499)) == 59'960);
    CHECK(bench.value(0, ms(2500)) == 60'000);
    CHECK(bench.value(0, ms(100'000)) == 60'000);
    wait(ms(1000));  // at 0
    bench.sensors.set_target(500, sc_core::sc_time_stamp());
    CHECK(bench.value(0, ms(200)) == 8'000);
    CHECK(bench.value(0, ms(250)) == 10'000);
    wait(ms(200));
    bench.sensors.set_target(0, sc_core::sc_time_stamp());
    CHECK(bench.value(0, ms(100)) == 4'000);
    CHECK(bench.value(0, ms(1200)) == -40'000);
    bench.sensors.set_offset(0, 100'000);
    CHECK(bench.value(0) == 108'000);
    bench.sensors.reset();
    CHECK(bench.value(0) == -40'000);
  });
}

TEST_CASE("sensors: a snapshot continues at another time") {
  Bench bench;
  bench.run([&] {
    bench.sensors.set_target(1000, sc_core::sc_time_stamp());
    wait(ms(10));
    const auto state = bench.sensors.save();
    wait(ms(500));
    bench.sensors.restore(state);
    CHECK(bench.value(0) == -39'600);
    CHECK(bench.value(0, ms(10)) == -39'200);
    CHECK_THROWS_AS(bench.sensors.restore({}), RunError);
  });
}

// As in another process, whose time began later than the motion did.
TEST_CASE("sensors: a snapshot that is older than the simulation") {
  Bench bench;
  bench.run([&] {
    mgmt::Sensors::State state = bench.sensors.save();
    state.motions[0] = {-40'000, 60'000, 5, ms(100)};
    bench.sensors.restore(state);
    CHECK(bench.value(0) == -36'000 + 5);
    CHECK(bench.value(0, ms(1)) == -35'960 + 5);
  });
}
