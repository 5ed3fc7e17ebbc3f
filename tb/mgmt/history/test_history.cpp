// SPDX-License-Identifier: Apache-2.0
// Running backwards: watchpoints, breakpoints, the begin, writes in the past, bounds.
#include "tb/mgmt/board/board_bench.h"
#include "tb/mgmt/history/history_bench.h"

using namespace tern;
using namespace tern::tb;
using Kind = mgmt::BoardStop::Kind;

namespace {

constexpr std::uint64_t kCounter = BoardBench::kResults;

BoardBench walking(unsigned harts) {
  return BoardBench("walk", [&](mgmt::BoardConfig& config) {
    config.harts = harts;
    config.ram_bytes = 4 << 20;
    config.poll_us = 50;
  });
}

void watch_all(mgmt::Board& board, const riscv::Watchpoint& watchpoint, bool add) {
  for (unsigned h = 0; h < board.harts(); ++h)
    add ? board.hart(h).add_watchpoint(watchpoint) : board.hart(h).remove_watchpoint(watchpoint);
}

}  // namespace

TEST_CASE("history: back to the write that changed a variable, and to the one before") {
  BoardBench bench = walking(2);
  mgmt::Board& board = bench.board;
  mgmt::History history(board, us(500));
  CHECK(history.run().kind == Kind::kTimeLimit);
  const std::uint64_t value = bench.result(0);
  REQUIRE(value > 1000);
  const riscv::Watchpoint watchpoint{kCounter, 8, riscv::Watchpoint::Kind::kWrite};
  watch_all(board, watchpoint, true);
  for (unsigned i = 1; i <= 20; ++i) {
    const mgmt::BoardStop stop = history.run_back();
    REQUIRE(stop.kind == Kind::kWatchpoint);
    CHECK(history.met_watchpoint().address == kCounter);
    CHECK(bench.result(0) == value - i);  // before the amoadd
    watch_all(board, watchpoint, false);
    CHECK(history.step(stop.hart).kind == Kind::kStep);
    CHECK(bench.result(0) == value - i + 1);
    CHECK(history.step_back(stop.hart).kind == Kind::kStep);
    watch_all(board, watchpoint, true);
    CHECK(bench.result(0) == value - i);
  }
}

TEST_CASE("history: back to the last time at a breakpoint, then to the begin") {
  BoardBench bench = walking(1);
  mgmt::Board& board = bench.board;
  mgmt::History history(board, us(50));
  board.run(us(0.02));  // somewhere in the loop
  history.restart();
  CHECK(history.run().kind == Kind::kTimeLimit);
  const Picture end = Picture::of(board);
  const std::uint64_t pc = 0x80000000;  // executed once, before the history
  board.hart(0).add_breakpoint(pc);
  CHECK(history.run_back().kind == Kind::kBegin);
  CHECK(board.moment() == history.begin());
  CHECK(history.run_back().kind == Kind::kBegin);
  CHECK(history.run().kind == Kind::kTimeLimit);
  CHECK(Picture::of(board) == end);
  // Each time round the loop.
  history.step_back(0);
  const std::uint64_t here = board.hart(0).save().pc;
  const Picture first = Picture::of(board);
  board.hart(0).add_breakpoint(here);
  std::vector<Picture> pictures{first};
  for (unsigned i = 0; i < 10; ++i) {
    REQUIRE(history.run_back().kind == Kind::kBreakpoint);
    CHECK(board.hart(0).save().pc == here);
    pictures.push_back(Picture::of(board));
  }
  for (std::size_t i = pictures.size() - 1; i-- > 0;) {
    history.step(0);  // off it, as GDB does
    REQUIRE(history.run().kind == Kind::kBreakpoint);
    CHECK(Picture::of(board) == pictures[i]);
  }
}

TEST_CASE("history: a write in the past is a new present") {
  BoardBench bench = walking(2);
  mgmt::Board& board = bench.board;
  mgmt::History history(board, us(300));
  bench.terminal.type("x");
  CHECK(history.run().kind == Kind::kTimeLimit);
  const std::uint64_t value = bench.result(0);
  for (unsigned i = 0; i < 100; ++i) history.step_back(0);
  CHECK(history.in_past());
  const std::uint64_t before = bench.result(0);
  const std::uint64_t other = 1'000'000;
  CHECK(history.write_memory(kCounter, &other, sizeof other));
  CHECK_FALSE(history.in_past());
  CHECK_FALSE(board.replaying());
  CHECK(history.run().kind == Kind::kTimeLimit);
  CHECK(bench.result(0) - other == value - before);
  // The new history has the write.
  const Picture end = Picture::of(board);
  CHECK(history.go_to(history.begin()).kind == Kind::kReached);
  CHECK(bench.result(0) < other);
  CHECK(history.run().kind == Kind::kTimeLimit);
  CHECK(Picture::of(board) == end);
  CHECK_FALSE(history.write_memory(0, &other, 8));
}

TEST_CASE("history: its memory is bounded, the oldest is forgotten") {
  BoardBench bench = walking(2);
  mgmt::Board& board = bench.board;
  mgmt::History::Limits limits;
  limits.instructions = 20000;
  limits.bytes = 1 << 20;
  mgmt::History history(board, us(2000), limits);
  const mgmt::Moment start = history.begin();
  CHECK(history.run().kind == Kind::kTimeLimit);
  CHECK(start < history.begin());
  CHECK(history.records() > 2);
  CHECK(history.bytes() <= limits.bytes);
  const Picture end = Picture::of(board);
  CHECK(history.run_back().kind == Kind::kBegin);
  CHECK(board.moment() == history.begin());
  CHECK(history.run().kind == Kind::kTimeLimit);
  CHECK(Picture::of(board) == end);
}

TEST_CASE("history: a stretch that has no room begins it anew") {
  BoardBench bench = walking(1);
  mgmt::Board& board = bench.board;
  mgmt::History::Limits limits;
  limits.bytes = 64 << 10;  // some pages
  mgmt::History history(board, us(2000), limits);
  CHECK(history.run().kind == Kind::kTimeLimit);
  const Picture end = Picture::of(board);
  const mgmt::BoardStop stop = history.run_back();
  CHECK(stop.kind == Kind::kBegin);
  CHECK(history.run().kind == Kind::kTimeLimit);
  CHECK(Picture::of(board) == end);
}

TEST_CASE("history: a board that records does the same as one that does not") {
  BoardBench bench = walking(3);
  mgmt::Board& board = bench.board;
  const mgmt::BoardState start = board.save();
  bench.terminal.type("same");
  CHECK(board.run(us(1500)).kind == Kind::kTimeLimit);
  const Picture plain = Picture::of(board);
  const sc_core::sc_time passed = sc_core::sc_time_stamp();
  board.restore(start);
  bench.terminal.type("same");
  {
    mgmt::History::Limits limits;
    limits.instructions = 3000;
    mgmt::History history(board, passed + us(1500), limits);
    CHECK(history.run().kind == Kind::kTimeLimit);
    CHECK(history.records() > 100);
  }
  CHECK(board.moment().cycles == plain.at.cycles);
  CHECK(bench.terminal.output() == "samesame");
}

TEST_CASE("history: somebody who only steps and writes has a bounded history, too") {
  BoardBench bench = walking(2);
  mgmt::Board& board = bench.board;
  mgmt::History::Limits limits;
  limits.bytes = 1 << 20;
  mgmt::History history(board, sc_core::sc_max_time(), limits);
  for (unsigned i = 0; i < 5000; ++i) history.step(i % 3 == 0 ? 1 : 0);
  CHECK(history.records() >= 5);
  const Picture stepped = Picture::of(board);
  CHECK(history.run_back().kind == Kind::kBegin);
  CHECK(history.go_to(stepped.at).kind == Kind::kReached);
  CHECK(Picture::of(board) == stepped);
  CHECK_FALSE(history.in_past());
  // At one moment more than it holds: it begins anew after them.
  const std::vector<std::uint8_t> block(100'000, 7);
  for (unsigned i = 0; i < 20; ++i) {
    CHECK(history.write_memory(0x80100000 + i * 100'000, block.data(), 100'000));
    CHECK(history.bytes() <= limits.bytes + 200'000);
  }
  history.step(0);
  const Picture written = Picture::of(board);
  CHECK(history.run_back().kind == Kind::kBegin);
  CHECK(history.go_to(written.at).kind == Kind::kReached);
  CHECK(Picture::of(board) == written);
}

TEST_CASE("history: back from the end of the software, which is the end again") {
  BoardBench bench("ticks", [](mgmt::BoardConfig& config) { config.harts = 2; });
  mgmt::Board& board = bench.board;
  mgmt::History history(board, sc_core::sc_max_time());
  CHECK(history.run().kind == Kind::kPass);
  const Picture end = Picture::of(board);
  for (unsigned i = 0; i < 2; ++i) {
    CHECK(history.run().kind == Kind::kPass);
    CHECK(history.step(0).kind == Kind::kPass);
    CHECK(Picture::of(board) == end);
    CHECK(history.step_back(0).kind == Kind::kStep);
    CHECK(history.step_back(1).kind == Kind::kStep);
    CHECK(history.run().kind == Kind::kPass);
    CHECK(Picture::of(board) == end);
    CHECK(history.run_back().kind == Kind::kBegin);
    CHECK(history.run().kind == Kind::kPass);
    CHECK(Picture::of(board) == end);
  }
  history.hart_written(0);
  CHECK(history.step(0).kind == Kind::kStep);  // a write makes it continue
}
