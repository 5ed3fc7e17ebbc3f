// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "systemc/mgmt/domain/watchdog.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

// docs/reference/mgmt.md, watchdog.
enum : unsigned { kControl = 0, kStage1 = 4, kStage2 = 8, kRestart = 12, kStatus = 16 };
constexpr std::uint32_t kKey = 0x5AFE;

struct Bench : WordBench {
  void run(std::function<void()> body) { WordBench::run(dog, std::move(body)); }
  void set(std::uint32_t stage1, std::uint32_t stage2, std::uint32_t control = 1) {
    put(kStage1, stage1);
    put(kStage2, stage2);
    put(kControl, control);
  }
  std::vector<std::pair<sc_time, bool>> lines;
  std::vector<sc_time> bites;
  mgmt::Watchdog dog{"dog", [this](bool level) { lines.emplace_back(sc_time_stamp(), level); },
                     [this] { bites.push_back(sc_time_stamp()); }};
};

}  // namespace

TEST_CASE("watchdog: an interrupt, then a reset, at their exact times, once") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.get(kStage1) == 100'000);
    CHECK(bench.get(kStage2) == 100'000);
    wait(us(1'000'000));
    CHECK(bench.lines.empty());  // not enabled
    bench.set(100, 50);
    const sc_time begin = sc_time_stamp();
    wait(us(10'000));
    REQUIRE(bench.lines.size() == 1);
    CHECK(bench.lines[0] == std::make_pair(begin + us(100), true));
    REQUIRE(bench.bites.size() == 1);
    CHECK(bench.bites[0] == begin + us(150));
    CHECK(bench.get(kStatus) == 1);
  });
}

TEST_CASE("watchdog: restarts with the key keep it quiet") {
  Bench bench;
  bench.run([&] {
    bench.set(100, 50);
    for (int i = 0; i < 100; ++i) {
      wait(us(99));
      bench.put(kRestart, kKey);
    }
    CHECK(bench.lines.empty());
    wait(us(99));
    bench.put(kRestart, kKey + 1);
    bench.put(kRestart, 0);
    wait(us(2));
    REQUIRE(bench.lines.size() == 1);
    bench.put(kRestart, kKey);  // between the stages
    CHECK_FALSE(bench.lines.back().second);
    CHECK(bench.get(kStatus) == 0);
    wait(us(99));
    CHECK(bench.lines.size() == 2);
    wait(us(1));
    CHECK(bench.lines.size() == 3);
    bench.put(kControl, 0);
    CHECK_FALSE(bench.lines.back().second);
    wait(us(1000));
    CHECK(bench.bites.empty());
  });
}

TEST_CASE("watchdog: a hart that is ahead restarts it at its own time") {
  Bench bench;
  bench.run([&] {
    bench.set(100, 50);
    bench.put(kRestart, kKey, us(60));
    wait(us(120));
    CHECK(bench.lines.empty());
    CHECK(bench.get(kStatus, us(40) - moment()) == 0);
    CHECK(bench.get(kStatus, us(40)) == 1);  // it has seen the end of the stage
    REQUIRE(bench.lines.size() == 1);
    wait(us(40) + us(50));
    CHECK(bench.bites.size() == 1);
  });
}

TEST_CASE("watchdog: locked, it cannot be stopped or delayed until a reset") {
  Bench bench;
  bench.run([&] {
    bench.set(100, 50, 3);
    bench.put(kControl, 0);
    bench.put(kStage1, 1'000'000);
    bench.put(kStage2, 1'000'000);
    CHECK(bench.get(kControl) == 3);
    CHECK(bench.get(kStage1) == 100);
    bench.put(kRestart, kKey);
    wait(us(200));
    CHECK(bench.bites.size() == 1);
    bench.dog.reset();
    CHECK(bench.get(kControl) == 0);
    CHECK(bench.get(kStage1) == 100'000);
    CHECK_FALSE(bench.lines.back().second);
    bench.set(0, 0);  // at least a microsecond each
    CHECK(bench.get(kStage1) == 1);
    CHECK(bench.get(kStage2) == 1);
    wait(us(3));
    CHECK(bench.bites.size() == 2);
  });
}

TEST_CASE("watchdog: a snapshot continues at another time") {
  Bench bench;
  bench.run([&] {
    bench.set(100, 50);
    wait(us(30));
    const auto state = bench.dog.save();
    wait(us(1000));
    bench.lines.clear();
    bench.bites.clear();
    bench.dog.restore(state);
    const sc_time then = sc_time_stamp();
    wait(us(200));
    REQUIRE(bench.lines.size() == 2);  // its report, then the interrupt
    CHECK(bench.lines[1] == std::make_pair(then + us(70), true));
    REQUIRE(bench.bites.size() == 1);
    CHECK(bench.bites[0] == then + us(120));
  });
}
