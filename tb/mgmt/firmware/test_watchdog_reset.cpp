// SPDX-License-Identifier: Apache-2.0
// Firmware that hangs: an instruction of it is replaced by an endless loop.
#include <catch2/catch.hpp>

#include "tb/mgmt/firmware/firmware_bench.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr std::uint64_t kSpare = 0x80100000;  // memory that nobody uses
constexpr std::uint32_t kLoop = 0x0000006F;   // j .

// The hart executes an endless loop from now on; returns where it was.
riscv::HartState hang(FirmwareBench& bench, bool interrupts) {
  bench.board.poke(kSpare, &kLoop, sizeof kLoop);
  const riscv::HartState before = bench.board.hart(0).save();
  riscv::HartState state = before;
  state.pc = kSpare;
  state.waiting = false;
  constexpr std::uint64_t kMie = 8;
  state.csrs.mstatus = interrupts ? state.csrs.mstatus | kMie : state.csrs.mstatus & ~kMie;
  bench.board.hart(0).restore(state);
  return before;
}

tern_error_entry first_entry(FirmwareBench& bench) {
  return bench.request(TERN_COMMAND_GET_LOG, {0}).as<tern_error_entry>();
}

}  // namespace

TEST_CASE("watchdog: firmware that hangs is reset after both stages, and says so") {
  FirmwareBench bench;
  bench.boot();
  bench.run(10);
  hang(bench, false);
  const double begin = sc_core::sc_time_stamp().to_seconds() * 1e3;
  bench.phases.clear();
  bench.run(250);
  INFO(bench.terminal.output());
  CHECK(bench.board.resets() == 1);
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  // 100 ms and 100 ms after the last restart, at most a tick before.
  const double reset = bench.begin_of(TERN_PHASE_ROM) / 1e3 - begin;
  CHECK(reset >= 198.9);
  CHECK(reset <= 200.1);
  CHECK(bench.printed("rom: reset cause 2, 1 resets"));
  const auto status = bench.request(TERN_COMMAND_GET_STATUS).as<tern_status_reply>();
  CHECK(status.reset_cause == TERN_RESET_CAUSE_WATCHDOG);
  CHECK(first_entry(bench).error == TERN_ERROR_CLASS_HANG);
  CHECK(first_entry(bench).unit == 0xFFFF);
  CHECK(bench.request(TERN_COMMAND_GET_COUNTERS).word(TERN_ERROR_CLASS_HANG) == 1);
}

TEST_CASE("watchdog: the interrupt of the first stage is taken once, and does not save a hang") {
  FirmwareBench bench;
  bench.boot();
  bench.run(10);
  hang(bench, true);
  bench.run(150);
  CHECK(bench.board.resets() == 0);
  bench.phases.clear();
  bench.run(100);
  CHECK(bench.board.resets() == 1);
  CHECK(bench.last_phase() == TERN_PHASE_READY);
}

TEST_CASE("watchdog: firmware that comes back after the first stage goes on") {
  FirmwareBench bench;
  bench.boot();
  bench.run(10);
  const riscv::HartState before = hang(bench, true);
  bench.run(150);
  riscv::HartState state = bench.board.hart(0).save();
  state.pc = before.pc;
  state.x = before.x;
  bench.board.hart(0).restore(state);
  bench.run(500);
  CHECK(bench.board.resets() == 0);
  CHECK(first_entry(bench).error == TERN_ERROR_CLASS_HANG);
  CHECK(first_entry(bench).unit == 0xFFFF);
  CHECK(bench.request(TERN_COMMAND_GET_COUNTERS).word(TERN_ERROR_CLASS_HANG) == 1);
  CHECK(bench.printed("error: hang, unit 65535"));
  // And a second time.
  hang(bench, false);
  bench.run(250);
  CHECK(bench.board.resets() == 1);
}

TEST_CASE("watchdog: an exception in the firmware is printed, then it boots again") {
  FirmwareBench bench;
  bench.boot();
  riscv::HartState state = bench.board.hart(0).save();
  state.pc = 0x40000000;  // nothing is there
  state.waiting = false;
  bench.board.hart(0).restore(state);
  bench.phases.clear();
  bench.run(20);
  INFO(bench.terminal.output());
  CHECK(bench.printed("fault: cause 1 at 40000000"));
  CHECK(bench.board.resets() == 1);
  CHECK(bench.last_phase() == TERN_PHASE_READY);
  CHECK(bench.request(TERN_COMMAND_GET_STATUS).as<tern_status_reply>().reset_cause ==
        TERN_RESET_CAUSE_SOFTWARE);
}
