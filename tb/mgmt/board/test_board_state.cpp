// SPDX-License-Identifier: Apache-2.0
// Snapshots: a board restored at another simulated time continues as the first time.
#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/mgmt/board/board_state.h"
#include "tb/mgmt/board/board_bench.h"

using namespace tern;
using namespace tern::tb;
using Kind = mgmt::BoardStop::Kind;

namespace {

// To the end twice, the second time from a snapshot that was made on the way; with a breakpoint, in
// the middle of a round.
void check_restore(unsigned harts, bool in_round) {
  BoardBench bench("ticks", [&](mgmt::BoardConfig& config) { config.harts = harts; });
  mgmt::Board& board = bench.board;
  board.run(us(333.3));
  if (in_round) {
    const std::uint64_t pc = board.hart(harts - 1).save().pc;
    board.hart(harts - 1).add_breakpoint(pc);
    CHECK(board.run().kind == Kind::kBreakpoint);
    board.hart(harts - 1).remove_breakpoint(pc);
  }
  const mgmt::BoardState state = board.save();
  const std::size_t printed = bench.terminal.output().size();
  const sc_core::sc_time saved = sc_core::sc_time_stamp();
  const mgmt::BoardStop first = board.run();
  CHECK(first.kind == Kind::kPass);
  const std::string text = bench.terminal.output().substr(printed);
  const auto cycles = board.hart(0).cycles();
  const auto instructions = board.instructions();
  const std::uint64_t result = bench.result(0);

  board.restore(state);
  const sc_core::sc_time restored = sc_core::sc_time_stamp();
  CHECK(restored > saved);
  const mgmt::BoardStop second = board.run();
  CHECK(second.kind == Kind::kPass);
  CHECK(second.at - restored == first.at - saved);
  CHECK(bench.terminal.output().substr(printed + text.size()) == text);
  CHECK(board.hart(0).cycles() == cycles);
  CHECK(board.instructions() == instructions);
  CHECK(bench.result(0) == result);
}

// Bytes of its memory for which the host has pages.
std::size_t resident_bytes(mgmt::Board& board) {
  constexpr std::size_t kPage = 4096;
  std::vector<unsigned char> pages(board.ram().bytes() / kPage);
  auto* data = const_cast<std::uint8_t*>(board.ram().data());
  REQUIRE(mincore(data, board.ram().bytes(), pages.data()) == 0);
  const auto there = [](unsigned char page) { return (page & 1) != 0; };
  return kPage * static_cast<std::size_t>(std::count_if(pages.begin(), pages.end(), there));
}

}  // namespace

TEST_CASE("board: a restored snapshot needs no more of the host's memory than its pages") {
  constexpr std::uint64_t kBytes = std::uint64_t{128} << 20;
  BoardBench bench("ticks", [](mgmt::BoardConfig& config) { config.ram_bytes = kBytes; });
  mgmt::Board& board = bench.board;
  board.run(us(100));
  const mgmt::BoardState state = board.save();
  const std::uint64_t result = bench.result(0);
  std::vector<std::uint8_t> rubbish(kBytes / 2, 0xA5);
  CHECK(board.poke(mgmt::kMemoryBase, rubbish.data(), kBytes / 2));
  CHECK(resident_bytes(board) >= kBytes / 2);
  board.restore(state);
  CHECK(resident_bytes(board) < kBytes / 8);  // the host may take 2 MiB for a page
  CHECK(bench.result(0) == result);
  std::uint8_t byte = 1;
  CHECK(board.peek(mgmt::kMemoryBase + kBytes / 2 - 1, &byte, 1));
  CHECK(byte == 0);
  CHECK(board.run().kind == Kind::kPass);
}

TEST_CASE("board: a snapshot between rounds continues alike, one hart") {
  check_restore(1, false);
}
TEST_CASE("board: a snapshot between rounds continues alike, four harts") {
  check_restore(4, false);
}
TEST_CASE("board: a snapshot within a round continues alike, three harts") {
  check_restore(3, true);
}

TEST_CASE("board: a snapshot of another board is refused") {
  BoardBench bench("sleep");
  mgmt::BoardState state = bench.board.save();
  mgmt::BoardState more = state;
  more.harts.push_back(more.harts.front());
  CHECK_THROWS_AS(bench.board.restore(more), RunError);
  mgmt::BoardState outside = state;
  outside.pages.front().address = 0x1000;
  CHECK_THROWS_AS(bench.board.restore(outside), RunError);
  mgmt::BoardState turn = state;
  turn.turn = 2;
  CHECK_THROWS_AS(bench.board.restore(turn), RunError);
  CHECK_NOTHROW(bench.board.restore(state));
}
