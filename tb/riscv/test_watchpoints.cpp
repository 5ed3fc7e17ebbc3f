// SPDX-License-Identifier: Apache-2.0
// Watchpoints: which accesses meet them, when the hart stops, and that they cost no cycle.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/riscv/random_program.h"
#include "tb/riscv/small_board.h"

using namespace tern;  // NOLINT
using riscv::Stop;
using riscv::Watchpoint;
using Kind = riscv::Watchpoint::Kind;

namespace {

constexpr std::uint64_t kBase = tb::SmallBoard::kBase, kData = kBase + 0x4000;
constexpr std::uint32_t kNop = 0x13;

// Runs a nop, the instruction with x5 = `address`, and nops; whether the watchpoint stopped it.
bool meets(const Watchpoint& watchpoint, std::uint32_t instruction, std::uint64_t address) {
  tb::SmallBoard board({}, 1 << 16);
  const std::uint32_t code[] = {kNop, instruction, kNop, kNop};
  std::memcpy(board.ram.data(), code, sizeof code);
  riscv::HartState state = board.hart->save();
  state.x[5] = address;
  state.csrs.mstatus |= 1 << 13;  // floating point is on
  board.hart->restore(state);
  board.hart->add_watchpoint(watchpoint);
  const Stop stop = board.hart->run(4);
  if (stop == Stop::kBudget) {
    CHECK(board.hart->cycles() == 4);
    return false;
  }
  CHECK(stop == Stop::kWatchpoint);
  CHECK(board.hart->cycles() == 2);
  CHECK(board.hart->save().pc == kBase + 8);
  CHECK(board.hart->met_watchpoint().address == watchpoint.address);
  CHECK(board.hart->run(2) == Stop::kBudget);
  return true;
}

}  // namespace

TEST_CASE("watchpoints: loads, stores, atomics and floating point meet the kinds they should") {
  struct Case {
    std::uint32_t instruction;
    bool reads, writes;
  };
  const Case cases[] = {
      {0x0002a303, true, false},   // lw x6, 0(x5)
      {0x0062a023, false, true},   // sw x6, 0(x5)
      {0x0002a007, true, false},   // flw f0, 0(x5)
      {0x0002a027, false, true},   // fsw f0, 0(x5)
      {0x1002a32f, true, false},   // lr.w x6, (x5)
      {0x0062a32f, true, true},    // amoadd.w x6, x6, (x5)
      {0x1862a3af, false, false},  // sc.w x7, x6, (x5): no reservation, nothing is written
  };
  for (const Case& c : cases) {
    CAPTURE(c.instruction);
    CHECK(meets({kData, 4, Kind::kRead}, c.instruction, kData) == c.reads);
    CHECK(meets({kData, 4, Kind::kWrite}, c.instruction, kData) == c.writes);
    CHECK(meets({kData, 4, Kind::kAccess}, c.instruction, kData) == (c.reads || c.writes));
  }
}

TEST_CASE("watchpoints: an access meets them if it shares a byte, misaligned or across pages") {
  constexpr std::uint32_t kStore = 0x0062b023;  // sd x6, 0(x5)
  for (int distance = -12; distance <= 12; ++distance) {
    CAPTURE(distance);
    const bool shares = distance > -8 && distance < 4;
    const std::uint64_t at = kData + 0x800;
    CHECK(meets({at, 4, Kind::kWrite}, kStore, at + distance) == shares);
    const std::uint64_t edge = kData + 0x1000;  // of a page
    CHECK(meets({edge - 2, 4, Kind::kWrite}, kStore, edge - 2 + distance) == shares);
  }
  CHECK(meets({kData, 0, Kind::kWrite}, kStore, kData) == false);
  CHECK(meets({0, ~std::uint64_t{0}, Kind::kWrite}, kStore, kData));
}

TEST_CASE("watchpoints: of devices, and of no access that traps") {
  constexpr std::uint32_t kStoreByte = 0x00628023;  // sb x6, 0(x5)
  CHECK(meets({0x10000000, 1, Kind::kWrite}, kStoreByte, 0x10000000));
  tb::SmallBoard board({}, 1 << 16);
  const std::uint32_t code[] = {kStoreByte, kNop};
  std::memcpy(board.ram.data(), code, sizeof code);
  board.hart->add_watchpoint({0, 16, Kind::kAccess});
  CHECK(board.hart->run(1) == Stop::kBudget);  // x5 is 0: nothing is there
  std::uint64_t cause = 0;
  REQUIRE(board.hart->peek_csr(0x342, cause));
  CHECK(cause == 7);
}

TEST_CASE("watchpoints: the last instruction of a run is reported by that run") {
  tb::SmallBoard board({}, 1 << 16);
  const std::uint32_t code[] = {0x0002a303, kNop, kNop};  // lw x6, 0(x5)
  std::memcpy(board.ram.data(), code, sizeof code);
  riscv::HartState state = board.hart->save();
  state.x[5] = kData;
  board.hart->restore(state);
  const Watchpoint watchpoint{kData, 4, Kind::kRead};
  board.hart->add_watchpoint(watchpoint);
  CHECK(board.hart->run(1) == Stop::kWatchpoint);
  CHECK(board.hart->cycles() == 1);
  CHECK(board.hart->run(1) == Stop::kBudget);
  state.cycles = board.hart->cycles();
  board.hart->restore(state);
  board.hart->remove_watchpoint(watchpoint);
  CHECK(board.hart->run(2) == Stop::kBudget);
}

TEST_CASE("watchpoints: a program that meets many ends in the same state and cycle") {
  constexpr std::uint64_t kRam = 2 << 20, kLimit = 10000000;
  const std::vector<std::uint8_t> image = tb::random_program(64, tb::test_seed(), 3000, 3);
  tb::SmallBoard plain({}, kRam), watched({}, kRam);
  plain.load(image);
  watched.load(image);
  watched.hart->add_watchpoint({kBase + kRam / 2, kRam / 2, Kind::kAccess});
  watched.hart->add_watchpoint({kBase, 0x1000, Kind::kWrite});
  REQUIRE(plain.run(kLimit, kLimit));
  unsigned met = 0;
  while (!watched.ended && watched.hart->cycles() < kLimit)
    met += watched.hart->run(kLimit) == Stop::kWatchpoint ? 1 : 0;
  CHECK(met > 100);
  CHECK(watched.output == plain.output);
  CHECK(watched.hart->save().x == plain.hart->save().x);
  CHECK(watched.hart->cycles() == plain.hart->cycles());
}
