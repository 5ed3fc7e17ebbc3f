// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>

#include "systemc/mgmt/domain/control_block.h"
#include "systemc/mgmt/domain/stand_alone_chip.h"
#include "tb/mgmt/domain/word_bench.h"

using namespace tern;
using namespace tern::tb;
using mgmt::DomainConfig;

namespace {

// docs/reference/mgmt.md, control.
enum : unsigned {
  kPhase = 0x14,
  kHeartbeat = 0x18,
  kBootError = 0x1C,
  kResetCause = 0x20,
  kResets = 0x24,
  kMemory = 0x28,
  kCoreReset = 0x30,
  kCoreReady = 0x34,
  kEnable = 0x300,
  kPending = 0x304
};
constexpr unsigned unit(unsigned u, unsigned reg) {
  return 0x100 + 0x10 * u + 4 * reg;
}
constexpr unsigned kStart = 0, kStatus = 1, kAttempts = 2, kMargin = 3;
constexpr unsigned error(unsigned c, unsigned reg) {
  return 0x400 + 0x10 * c + 4 * reg;
}
enum : std::uint32_t { kAbsent, kIdle, kBusy, kPassed, kFailed };
constexpr unsigned kDie = 8, kLink = 16;

struct Bench : WordBench {
  explicit Bench(const DomainConfig& config)
      : chip(config),
        control("control", chip, 8 << 20, [this](unsigned c, bool level) { lines[c] = level; }) {
    control.reset(0);
  }
  void run(std::function<void()> body) { WordBench::run(control, std::move(body)); }

  std::map<unsigned, bool> lines;
  mgmt::StandAloneChip chip;
  mgmt::ControlBlock control;
};

DomainConfig chip() {
  DomainConfig config;
  config.hbm_stacks = 3;
  config.cores = 5;
  config.dies = 2;
  config.links = 2;
  config.core_ready_us = 50;
  config.training[0] = {100, 300, 0, false};
  config.training[1] = {200, 310, 2, false};
  config.training[2] = {300, 320, 0, true};
  config.training[kDie] = {40, 280, 0, false};
  config.training[kLink + 1] = {70, 250, 1, false};
  return config;
}

}  // namespace

TEST_CASE("control: what the chip has") {
  Bench bench(chip());
  bench.run([&] {
    CHECK(bench.get(0) == 0x544D4754);
    CHECK(bench.get(4) == 3);
    CHECK(bench.get(8) == 5);
    CHECK(bench.get(12) == 2);
    CHECK(bench.get(16) == 2);
    CHECK(bench.get(kMemory) == 8 << 20);
    for (unsigned u = 0; u < 32; ++u) {
      const bool there = u < 3 || u == kDie || u == kLink || u == kLink + 1;
      CHECK(bench.get(unit(u, kStatus)) == (there ? kIdle : kAbsent));
    }
  });
}

TEST_CASE("control: one die has no link to another") {
  DomainConfig config = chip();
  config.dies = 1;
  Bench bench(config);
  bench.run([&] {
    CHECK(bench.get(unit(kDie, kStatus)) == kAbsent);
    bench.put(unit(kDie, kStart), 1);
    CHECK(bench.get(unit(kDie, kAttempts)) == 0);
    CHECK(bench.get(unit(kDie, kStatus)) == kAbsent);
  });
}

TEST_CASE("control: attempts take their time, fail as configured, and count") {
  Bench bench(chip());
  bench.run([&] {
    bench.put(unit(0, kStart), 0);
    CHECK(bench.get(unit(0, kStatus)) == kIdle);
    // In parallel.
    for (const unsigned u : {0u, 1u, 2u, kDie, kLink + 1}) bench.put(unit(u, kStart), 1);
    bench.put(unit(0, kStart), 1);  // busy: ignored
    CHECK(bench.get(unit(0, kAttempts)) == 1);
    const auto ends = [&](unsigned u, double end, std::uint32_t status, std::uint32_t margin) {
      INFO("unit " << u);
      CHECK(bench.get(unit(u, kStatus), us(end) - moment()) == kBusy);
      CHECK(bench.get(unit(u, kMargin), us(end) - moment()) == 0);
      CHECK(bench.get(unit(u, kStatus), us(end)) == status);
      CHECK(bench.get(unit(u, kMargin), us(end)) == margin);
    };
    ends(0, 100, kPassed, 300);
    ends(1, 200, kFailed, 0);
    ends(2, 300, kFailed, 0);
    ends(kDie, 40, kPassed, 280);
    ends(kLink + 1, 70, kFailed, 0);
    wait(us(1000));
    bench.put(unit(kLink + 1, kStart), 1);
    ends(kLink + 1, 70, kPassed, 250);
    bench.put(unit(1, kStart), 1);
    ends(1, 200, kFailed, 0);
    wait(us(200));
    bench.put(unit(1, kStart), 1);
    ends(1, 200, kPassed, 310);
    for (int i = 0; i < 10; ++i) {
      wait(us(1000));
      bench.put(unit(2, kStart), 1);
      ends(2, 300, kFailed, 0);
    }
    CHECK(bench.get(unit(2, kAttempts)) == 11);
    // Reset forgets all of it.
    bench.control.reset(2);
    CHECK(bench.get(unit(1, kStatus)) == kIdle);
    CHECK(bench.get(unit(1, kAttempts)) == 0);
    CHECK(bench.get(unit(1, kMargin)) == 0);
    CHECK(bench.get(kResetCause) == 2);
    CHECK(bench.get(kResets) == 1);
    bench.control.reset(1);
    CHECK(bench.get(kResets) == 2);
    bench.control.reset(0);
    CHECK(bench.get(kResets) == 0);
  });
}

TEST_CASE("control: cores leave reset and become ready") {
  Bench bench(chip());
  bench.run([&] {
    CHECK(bench.get(kCoreReset) == 0x1F);
    CHECK(bench.get(kCoreReady) == 0);
    bench.put(kCoreReset, 0xFFFFFFF0);
    CHECK(bench.get(kCoreReset) == 0x10);
    CHECK(bench.get(kCoreReady, us(50) - moment()) == 0);
    CHECK(bench.get(kCoreReady, us(50)) == 0x0F);
    wait(us(50));
    bench.put(kCoreReset, 0x02);
    CHECK(bench.get(kCoreReady) == 0x0D);
    CHECK(bench.get(kCoreReady, us(50)) == 0x1D);
  });
}

TEST_CASE("control: each class has its pending bit, line, count, unit and address") {
  Bench bench(chip());
  bench.run([&] {
    for (unsigned c = 0; c < 7; ++c) {
      INFO("class " << c);
      bench.control.arrive({static_cast<std::uint8_t>(c), static_cast<std::uint16_t>(c + 1),
                            0x123456789ABCULL + c, 2});
      CHECK(bench.get(kPending) == 1u << c);
      CHECK_FALSE(bench.lines[c]);
      bench.put(kEnable, 0xFFFFFFFF);
      CHECK(bench.get(kEnable) == 0x7F);
      for (unsigned other = 0; other < 7; ++other) CHECK(bench.lines[other] == (other == c));
      bench.control.arrive({static_cast<std::uint8_t>(c), 9, 0xFF00000000ULL, 3});
      CHECK(bench.get(error(c, 0)) == 5);
      CHECK(bench.get(error(c, 1)) == 9);
      CHECK(bench.get(error(c, 2)) == 0);
      CHECK(bench.get(error(c, 3)) == 0xFF);
      bench.put(kPending, ~(1u << c));
      CHECK(bench.get(kPending) == 1u << c);
      bench.put(kPending, 1u << c);
      CHECK_FALSE(bench.lines[c]);
      CHECK(bench.get(error(c, 0)) == 5);
      bench.put(kEnable, 0);
    }
    bench.control.arrive({0, 0, 0, 0xFFFFFFFF});
    bench.control.arrive({0, 0, 0, 1});
    CHECK(bench.get(error(0, 0)) == 0xFFFFFFFF);
    bench.control.reset(0);
    CHECK(bench.get(error(0, 0)) == 0);
    CHECK(bench.get(kPending) == 0);
  });
}

TEST_CASE("control: phases are reported with the time of the hart") {
  Bench bench(chip());
  std::vector<std::pair<std::uint32_t, sc_core::sc_time>> seen;
  bench.control.set_phase_handler(
      [&](std::uint32_t phase, const sc_core::sc_time& at) { seen.emplace_back(phase, at); });
  bench.run([&] {
    wait(us(10));
    bench.put(kPhase, 4, us(3));
    bench.put(kHeartbeat, 77);
    bench.put(kBootError, 0x0204);
    CHECK(bench.get(kPhase) == 4);
    CHECK(bench.control.heartbeat() == 77);
    CHECK(bench.control.boot_error() == 0x0204);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].first == 4);
    CHECK(seen[0].second == us(13));
  });
}

TEST_CASE("control: a snapshot continues at another time") {
  Bench bench(chip());
  bench.run([&] {
    bench.put(unit(0, kStart), 1);
    bench.put(kCoreReset, 0);
    bench.put(kEnable, 2);
    bench.control.arrive({1, 2, 3, 4});
    wait(us(30));
    const auto state = bench.control.save();
    wait(us(777));
    bench.control.reset(0);
    bench.lines.clear();
    bench.control.restore(state);
    CHECK(bench.lines[1]);
    CHECK(bench.lines.size() == 7);
    CHECK(bench.get(unit(0, kStatus), us(70) - moment()) == kBusy);
    CHECK(bench.get(unit(0, kStatus), us(70)) == kPassed);
    CHECK(bench.get(kCoreReady, us(20) - moment()) == 0);
    CHECK(bench.get(kCoreReady, us(20)) == 0x1F);
  });
}
