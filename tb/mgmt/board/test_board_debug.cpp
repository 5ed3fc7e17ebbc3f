// SPDX-License-Identifier: Apache-2.0
// What a debugger does to a board between two runs.
#include <catch2/catch.hpp>

#include "tb/mgmt/board/board_bench.h"

using namespace tern;
using namespace tern::tb;
using Kind = mgmt::BoardStop::Kind;

namespace {

constexpr std::uint64_t kPass = mgmt::kMemoryBase + 0x10, kReset = mgmt::kMemoryBase + 0x40;

// As the debugger's stub does it.
void move(mgmt::Board& board, unsigned hart, std::uint64_t pc) {
  riscv::HartState state = board.hart(hart).save();
  state.pc = pc;
  state.waiting = false;
  board.hart(hart).restore(state);
}

}  // namespace

TEST_CASE("board: a hart in wfi that a debugger moves goes on from there") {
  BoardBench bench("debugged", [](mgmt::BoardConfig& config) { config.harts = 2; });
  CHECK(bench.board.run(us(100)).kind == Kind::kTimeLimit);
  CHECK(bench.board.hart(1).save().waiting);
  move(bench.board, 1, kPass);
  const mgmt::BoardStop stop = bench.board.run(us(200));
  CHECK(stop.kind == Kind::kPass);
  CHECK(stop.hart == 1);
}

TEST_CASE("board: a step is one instruction of one hart, also behind a wfi") {
  BoardBench bench("debugged", [](mgmt::BoardConfig& config) { config.harts = 2; });
  for (unsigned i = 1; i <= 20; ++i) {
    const mgmt::BoardStop stop = bench.board.step(1);
    CHECK(stop.kind == Kind::kStep);
    CHECK(stop.hart == 1);
    CHECK(bench.board.instructions(1) == i);
  }
  CHECK(bench.board.instructions(0) == 0);
  CHECK(bench.board.step(1, sc_core::SC_ZERO_TIME).kind == Kind::kTimeLimit);
}

TEST_CASE("board: a reset that a debugger steps over happens at once") {
  BoardBench bench("debugged");
  CHECK(bench.board.run(us(100)).kind == Kind::kTimeLimit);
  move(bench.board, 0, kReset);
  unsigned steps = 0;
  while (bench.board.resets() == 0 && steps < 10) {
    CHECK(bench.board.step(0).kind == Kind::kStep);
    ++steps;
  }
  CHECK(bench.board.resets() == 1);
  CHECK(bench.board.hart(0).save().pc == mgmt::kBootRomBase);
  CHECK(bench.board.hart(0).save().x[10] == 0);
}

TEST_CASE("board: power on again between two runs") {
  BoardBench bench("debugged");
  CHECK(bench.board.run(us(100)).kind == Kind::kTimeLimit);
  const std::uint64_t before = bench.board.instructions();
  bench.board.power_cycle();
  CHECK(bench.board.hart(0).save().pc == mgmt::kBootRomBase);
  CHECK(bench.board.resets() == 0);  // none by software
  CHECK(bench.board.run(us(200)).kind == Kind::kTimeLimit);
  CHECK(bench.board.hart(0).save().waiting);
  CHECK(bench.board.instructions() > before);
}
