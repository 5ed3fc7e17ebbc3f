// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/clint.h"
#include "tb/common/seed.h"
#include "tb/mgmt/devices/device_bench.h"

using namespace tern;
using namespace tern::tb;
using mgmt::Clint;
using sc_core::SC_NS;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

constexpr std::uint64_t kMtime = 0xBFF8;
constexpr std::uint64_t kEver = ~std::uint64_t{0};
constexpr std::uint64_t mtimecmp(unsigned hart) {
  return 0x4000 + 8 * hart;
}

sc_time ns(double value) {
  return sc_time(value, SC_NS);
}

struct Change {
  sc_time at;
  unsigned hart;
  bool level;
  bool operator==(const Change& other) const {
    return at == other.at && hart == other.hart && level == other.level;
  }
};

struct Bench : DeviceBench {
  explicit Bench(unsigned harts = 1)
      : DeviceBench(bench_name()),
        clint("clint", {harts, 10'000'000}, note(timer), note(software)) {}
  Clint::Line note(std::vector<Change>& changes) {
    return [&changes](unsigned hart, bool level) {
      changes.push_back({sc_time_stamp(), hart, level});
    };
  }
  void run(std::function<void()> body) { DeviceBench::run(clint, std::move(body)); }

  std::vector<Change> timer, software;
  Clint clint;
};

}  // namespace

TEST_CASE("clint: mtime counts at 10 MHz, exactly, also for a hart ahead of the simulation") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.get(kMtime, 8) == 0);
    wait(ns(250));
    CHECK(bench.get(kMtime, 8) == 2);
    CHECK(bench.get(kMtime, 8, ns(49)) == 2);
    CHECK(bench.get(kMtime, 8, ns(50)) == 3);
    CHECK(bench.get(kMtime, 8, ns(50) - sc_time::from_value(1)) == 2);
    CHECK(bench.get(kMtime, 8, ns(1e9)) == 10'000'002);
    CHECK(bench.clint.mtime(ns(1e9)) == 10'000'000);
  });
}

TEST_CASE("clint: mtime is written at the time of the hart, whole or by halves") {
  Bench bench;
  bench.run([&] {
    bench.put(kMtime, 8, 1000, ns(10'030));
    CHECK(bench.get(kMtime, 8, ns(10'030)) == 1000);
    CHECK(bench.get(kMtime, 8, ns(10'099)) == 1000);
    CHECK(bench.get(kMtime, 8, ns(10'100)) == 1001);  // the ticks stay where they are
    CHECK(bench.get(kMtime, 8, ns(20'000)) == 1100);
    wait(ns(20'000));
    bench.put(kMtime + 4, 4, 7);
    CHECK(bench.get(kMtime, 8) == (std::uint64_t{7} << 32 | 1100));
    bench.put(kMtime, 4, 0xFFFFFFFF);
    CHECK(bench.get(kMtime, 4) == 0xFFFFFFFF);
    CHECK(bench.get(kMtime + 4, 4) == 7);
    CHECK(bench.get(kMtime + 4, 4, ns(100)) == 8);
    CHECK(bench.get(kMtime, 4, ns(100)) == 0);
  });
}

TEST_CASE("clint: the timer line rises at the exact time and falls with a write") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.clint.next_timer(0) == sc_core::sc_max_time());
    wait(ns(1030));
    bench.put(mtimecmp(0), 8, 25, ns(500));  // ahead
    CHECK(bench.clint.next_timer(0) == ns(2500));
    wait(ns(5000));
    CHECK(bench.timer == std::vector<Change>{{ns(2500), 0, true}});
    CHECK(bench.clint.next_timer(0) > ns(1e9));
    bench.timer.clear();
    bench.put(mtimecmp(0), 8, kEver);
    CHECK(bench.timer == std::vector<Change>{{ns(6030), 0, false}});
    // Due already: at once, also where only the hart has arrived.
    bench.timer.clear();
    bench.put(mtimecmp(0), 8, 61, ns(69));
    CHECK(bench.timer.empty());
    bench.put(mtimecmp(0), 8, 61, ns(70));
    CHECK(bench.timer == std::vector<Change>{{ns(6030), 0, true}});
    // The simulation's own arrival changes nothing.
    wait(ns(1000));
    CHECK(bench.timer.size() == 1);
    bench.put(mtimecmp(0), 8, 0);
    CHECK(bench.timer.size() == 1);
    CHECK(bench.clint.next_timer(0) == sc_core::sc_max_time());
  });
}

TEST_CASE("clint: halves of mtimecmp, in the order that 32-bit software uses") {
  Bench bench;
  bench.run([&] {
    bench.put(mtimecmp(0), 8, 0);
    bench.timer.clear();
    bench.put(mtimecmp(0), 4, 0xFFFFFFFF);
    bench.put(mtimecmp(0) + 4, 4, 0);
    bench.put(mtimecmp(0), 4, 30);
    wait(ns(10'000));
    CHECK(bench.timer == std::vector<Change>{{ns(0), 0, false}, {ns(3000), 0, true}});
    CHECK(bench.get(mtimecmp(0), 8) == 30);
    CHECK(bench.get(mtimecmp(0), 4) == 30);
    CHECK(bench.get(mtimecmp(0) + 4, 4) == 0);
  });
}

TEST_CASE("clint: a hart that is ahead takes its timer without the simulation") {
  Bench bench(2);
  bench.run([&] {
    bench.put(mtimecmp(0), 8, 50);
    bench.put(mtimecmp(1), 8, 10);
    bench.clint.advance(0, ns(4999));
    CHECK(bench.timer.empty());
    bench.clint.advance(0, ns(5000));
    CHECK(bench.timer == std::vector<Change>{{ns(0), 0, true}});
    // The line of the other hart does not take it back.
    wait(ns(2000));
    CHECK(bench.timer == std::vector<Change>{{ns(0), 0, true}, {ns(1000), 1, true}});
    wait(ns(10'000));
    CHECK(bench.timer.size() == 2);
  });
}

TEST_CASE("clint: mtime that wraps lowers the line") {
  Bench bench;
  bench.run([&] {
    bench.put(mtimecmp(0), 8, 5);
    bench.put(kMtime, 8, kEver - 9);
    CHECK(bench.timer == std::vector<Change>{{ns(0), 0, true}});
    CHECK(bench.clint.next_timer(0) == ns(1000));
    wait(ns(3000));
    CHECK(bench.timer ==
          std::vector<Change>{{ns(0), 0, true}, {ns(1000), 0, false}, {ns(1500), 0, true}});
  });
}

TEST_CASE("clint: software interrupts have one bit") {
  Bench bench(3);
  bench.run([&] {
    bench.put(4, 4, 0xFFFFFFFE);
    CHECK(bench.software.empty());
    bench.put(4, 4, 0xFFFFFFFF, ns(5));
    bench.put(4, 4, 1);
    CHECK(bench.get(4, 4) == 1);
    CHECK(bench.get(0, 4) == 0);
    bench.put(8, 4, 1);
    bench.put(4, 4, 0);
    CHECK(bench.software ==
          std::vector<Change>{{ns(0), 1, true}, {ns(0), 2, true}, {ns(0), 1, false}});
  });
}

TEST_CASE("clint: accesses of other sizes fail, registers of missing harts are zero") {
  Bench bench(2);
  bench.run([&] {
    for (const unsigned size : {1U, 2U}) {
      CHECK(bench.read(0, size).status == tlm::TLM_BURST_ERROR_RESPONSE);
      CHECK(bench.read(kMtime, size).status == tlm::TLM_BURST_ERROR_RESPONSE);
      CHECK(bench.write(mtimecmp(0), size, 0) == tlm::TLM_BURST_ERROR_RESPONSE);
    }
    CHECK(bench.read(0, 8).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.write(0, 8, 1) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.read(kMtime + 2, 4).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.read(kMtime + 4, 8).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.read(0x10000, 4).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    for (const std::uint64_t offset :
         {std::uint64_t{8}, mtimecmp(2), mtimecmp(4094), std::uint64_t{0xC000}}) {
      bench.put(offset, 4, 0xFFFFFFFF);
      CHECK(bench.get(offset, 4) == 0);
    }
    CHECK(bench.software.empty());
    CHECK(bench.timer.empty());
  });
}

TEST_CASE("clint: a debugger reads any bytes and writes none") {
  Bench bench;
  bench.run([&] {
    bench.put(kMtime, 8, 0x1122334455667788);
    bench.put(0, 4, 1);
    wait(ns(100));
    CHECK(bench.look(kMtime, 8) == 0x1122334455667789);
    CHECK(bench.look(kMtime + 3, 2) == 0x4455);
    CHECK(bench.look(0, 1) == 1);
    std::uint64_t value = 0;
    CHECK(bench.bus.debug(tlm::TLM_WRITE_COMMAND, 0, &value, 4) == 0);
    CHECK(bench.bus.debug(tlm::TLM_READ_COMMAND, 0xFFFC, &value, 8) == 4);
    CHECK(bench.look(0, 4) == 1);
  });
}

TEST_CASE("clint: a snapshot continues at another time, to the tick's fraction") {
  Bench bench(2);
  bench.run([&] {
    bench.put(mtimecmp(1), 8, 12);
    bench.put(0, 4, 1);
    wait(ns(1030));
    const Clint::State state = bench.clint.save();
    CHECK(state.mtime == 10);
    wait(ns(7077));
    bench.timer.clear();
    bench.software.clear();
    const sc_time then = sc_time_stamp();
    bench.clint.restore(state);
    // Every line is stated anew.
    CHECK(bench.timer == std::vector<Change>{{then, 0, false}, {then, 1, false}});
    CHECK(bench.software == std::vector<Change>{{then, 0, true}, {then, 1, false}});
    CHECK(bench.get(kMtime, 8, ns(69)) == 10);
    CHECK(bench.get(kMtime, 8, ns(70)) == 11);
    CHECK(bench.clint.next_timer(1) == then + ns(170));
    const Clint::State again = bench.clint.save();
    CHECK(again.in_tick == state.in_tick);
    CHECK(again.mtimecmp == state.mtimecmp);
    CHECK(again.msip == state.msip);
    wait(ns(1000));
    CHECK(bench.timer.back() == Change{then + ns(170), 1, true});

    Clint::State other = state;
    other.msip.pop_back();
    CHECK_THROWS_AS(bench.clint.restore(other), RunError);
    other = state;
    other.mtimecmp.push_back(0);
    CHECK_THROWS_AS(bench.clint.restore(other), RunError);

    bench.clint.reset();
    CHECK(bench.get(kMtime, 8) == 0);
    CHECK(bench.get(mtimecmp(1), 8) == kEver);
    CHECK(bench.get(0, 4) == 0);
    CHECK(bench.timer.back() == Change{sc_time_stamp(), 1, false});
  });
}

TEST_CASE("clint: impossible configurations are named") {
  DeviceBench::bench_name();
  CHECK_THROWS_AS(Clint("none", {0, 10'000'000}, nullptr, nullptr), UserError);
  CHECK_THROWS_AS(Clint("many", {4096, 10'000'000}, nullptr, nullptr), UserError);
  CHECK_THROWS_AS(Clint("zero", {1, 0}, nullptr, nullptr), UserError);
  CHECK_THROWS_WITH(Clint("third", {1, 3}, nullptr, nullptr),
                    "timebase of 3 Hz: a tick must be a whole number of 1 fs");
}

// The rule of the specification, without events: of all writes in the order of their times, the
// line at any time follows from the last ones. Each hart is ahead of the simulation by its own,
// changing amount, and every line is compared with the rule at every time at which it may change.
TEST_CASE("clint: random writes of decoupled harts against the rule of the specification") {
  const std::uint64_t seed = test_seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  constexpr unsigned kHarts = 3;
  Bench bench(kHarts);
  // mtime = 25 at 2500 ns + offset; as ticks of 100 ns.
  std::uint64_t offset = 0;
  std::vector<std::uint64_t> compare(kHarts, kEver);
  std::vector<bool> level(kHarts, false);
  bench.run([&] {
    const auto mtime = [&](const sc_time& at) { return offset + at.value() / ns(100).value(); };
    std::size_t seen = 0;
    for (unsigned round = 0; round < 4000; ++round) {
      const sc_time now = sc_time_stamp();
      const unsigned hart = random() % kHarts;
      const sc_time ahead = ns(static_cast<double>(random() % 1000));
      const std::uint64_t ticks = mtime(now + ahead);
      if (random() % 16 == 0) {
        const std::uint64_t value = random() % 4 == 0 ? kEver - random() % 40 : random() % 1000;
        offset += value - ticks;
        bench.put(kMtime, 8, value, ahead);
      } else {
        compare[hart] = random() % 8 == 0 ? random() : ticks + random() % 24 - 8;
        bench.put(mtimecmp(hart), 8, compare[hart], ahead);
      }
      REQUIRE(bench.get(kMtime, 8, ahead) == mtime(now + ahead));
      for (; seen < bench.timer.size(); ++seen)
        level[bench.timer[seen].hart] = bench.timer[seen].level;
      REQUIRE(level[hart] == (mtime(now + ahead) >= compare[hart]));
      // The hart that wrote lets the simulation follow, then all are at rest for some ticks.
      wait(ahead);
      const sc_time until = sc_time_stamp() + ns(static_cast<double>(random() % 3000));
      while (sc_time_stamp() < until) {
        wait(ns(1));
        for (; seen < bench.timer.size(); ++seen) {
          level[bench.timer[seen].hart] = bench.timer[seen].level;
          REQUIRE(bench.timer[seen].at.value() % ns(100).value() == 0);
        }
        for (unsigned h = 0; h < kHarts; ++h) {
          CAPTURE(round, h);
          REQUIRE(level[h] == (mtime(sc_time_stamp()) >= compare[h]));
        }
        // To just before the next tick.
        const std::uint64_t rest = ns(100).value() - sc_time_stamp().value() % ns(100).value();
        wait(sc_time::from_value(rest) - sc_time::from_value(1));
        for (; seen < bench.timer.size(); ++seen)
          level[bench.timer[seen].hart] = bench.timer[seen].level;
        for (unsigned h = 0; h < kHarts; ++h) {
          REQUIRE(level[h] == (mtime(sc_time_stamp()) >= compare[h]));
        }
        wait(sc_time::from_value(1));
      }
    }
  });
}
