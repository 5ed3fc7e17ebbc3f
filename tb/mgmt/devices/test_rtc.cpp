// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "systemc/mgmt/devices/rtc.h"
#include "tb/mgmt/devices/device_bench.h"

using namespace tern;
using namespace tern::tb;
using mgmt::Rtc;
using sc_core::SC_NS;
using sc_core::SC_PS;
using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {

enum : unsigned {
  kTimeLow = 0x00,
  kTimeHigh = 0x04,
  kAlarmLow = 0x08,
  kAlarmHigh = 0x0C,
  kIrqEnabled = 0x10,
  kClearAlarm = 0x14,
  kAlarmStatus = 0x18,
  kClearInterrupt = 0x1C
};

sc_time ns(double value) {
  return sc_time(value, SC_NS);
}

struct Bench : DeviceBench {
  explicit Bench(std::uint64_t start)
      : DeviceBench(bench_name()),
        rtc(
            "rtc",
            [this](bool level) {
              lines.push_back({sc_time_stamp(), level});
            },
            start) {}
  void run(std::function<void()> body) { DeviceBench::run(rtc, std::move(body)); }
  // As drivers read it.
  std::uint64_t time(sc_time ahead = sc_core::SC_ZERO_TIME) {
    const std::uint64_t low = get(kTimeLow, 4, ahead);
    return get(kTimeHigh, 4, ahead) << 32 | low;
  }
  void set_alarm(std::uint64_t when) {
    put(kAlarmHigh, 4, when >> 32);
    put(kAlarmLow, 4, when & 0xFFFFFFFF);
  }
  struct Change {
    sc_time at;
    bool level;
  };
  std::vector<Change> lines;
  Rtc rtc;
};

}  // namespace

TEST_CASE("rtc: nanoseconds since a start that the host does not decide") {
  Bench bench(0x1234FFFFFFFF);
  bench.run([&] {
    CHECK(bench.time() == 0x1234FFFFFFFF);
    CHECK(bench.time(ns(1) - sc_time(1, SC_PS)) == 0x1234FFFFFFFF);
    // The high word belongs to the low word that was read.
    CHECK(bench.get(kTimeLow, 4) == 0xFFFFFFFF);
    wait(ns(1));
    CHECK(bench.look(kTimeLow, 4) == 0);
    CHECK(bench.get(kTimeHigh, 4) == 0x1234);
    CHECK(bench.time() == 0x123500000000);
    bench.put(kTimeHigh, 4, 0x77, ns(5));
    bench.put(kTimeLow, 4, 0x99, ns(5));
    CHECK(bench.time(ns(7)) == 0x770000009B);
    CHECK(bench.read(0, 8).status == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.get(0x20, 4) == 0);
  });
  CHECK(Rtc::kDefaultStart / 1'000'000'000 == 20454ULL * 24 * 3600);  // days until 2026
}

TEST_CASE("rtc: the alarm comes in time, while it is enabled") {
  Bench bench(1'000'000);
  bench.run([&] {
    bench.put(kIrqEnabled, 4, 1);
    bench.set_alarm(1'000'500);
    CHECK(bench.get(kAlarmStatus, 4) == 1);
    CHECK(bench.get(kAlarmStatus, 4, ns(499)) == 1);
    wait(ns(1000));
    REQUIRE(bench.lines.size() == 1);
    CHECK(bench.lines[0].at == ns(500));
    CHECK(bench.lines[0].level);
    CHECK(bench.get(kAlarmStatus, 4) == 0);
    bench.put(kClearInterrupt, 4, 1);
    CHECK_FALSE(bench.lines.back().level);
    bench.set_alarm(5);  // in the past: now
    CHECK(bench.lines.back().level);
    bench.put(kIrqEnabled, 4, 0);
    CHECK_FALSE(bench.lines.back().level);
    bench.put(kClearInterrupt, 4, 1);
    bench.set_alarm(1'001'100);
    bench.put(kClearAlarm, 4, 1);
    CHECK(bench.get(kAlarmStatus, 4) == 0);
    wait(ns(1000));
    bench.put(kIrqEnabled, 4, 1);
    CHECK_FALSE(bench.lines.back().level);
    bench.set_alarm(~std::uint64_t{0});
    wait(ns(1000));
    CHECK(bench.get(kAlarmStatus, 4) == 1);
    // Setting the clock past the alarm counts.
    bench.set_alarm(2'000'000);
    bench.put(kTimeLow, 4, 2'000'000, ns(10));
    CHECK(bench.lines.back().level);
  });
}

TEST_CASE("rtc: a snapshot continues at another time") {
  Bench bench(1000);
  bench.run([&] {
    bench.put(kIrqEnabled, 4, 1);
    bench.set_alarm(1200);
    wait(sc_time(100'300, SC_PS));
    const Rtc::State state = bench.rtc.save();
    wait(sc_time(7'777'700, SC_PS));
    bench.lines.clear();
    const sc_time then = sc_time_stamp();
    bench.rtc.restore(state);
    REQUIRE(bench.lines.size() == 1);
    CHECK_FALSE(bench.lines[0].level);
    CHECK(bench.time() == 1100);
    CHECK(bench.time(sc_time(699, SC_PS)) == 1100);
    CHECK(bench.time(sc_time(700, SC_PS)) == 1101);
    wait(ns(1000));
    CHECK(bench.lines.back().level);
    CHECK(bench.lines.back().at == then + sc_time(99'700, SC_PS));
    bench.rtc.reset();
    CHECK_FALSE(bench.lines.back().level);
    CHECK(bench.time() == 1000);
  });
}
