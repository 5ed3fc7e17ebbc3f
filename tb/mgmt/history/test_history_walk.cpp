// SPDX-License-Identifier: Apache-2.0
// Back and forth at random: the same moment is always the same state, and what was executed is what
// an observer saw the first time.
#include <map>
#include <random>
#include <tuple>

#include "systemc/mgmt/board/instruction_observer.h"
#include "tb/common/seed.h"
#include "tb/mgmt/board/board_bench.h"
#include "tb/mgmt/firmware/firmware_bench.h"
#include "tb/mgmt/history/history_bench.h"

using namespace tern;
using namespace tern::tb;
using Kind = mgmt::BoardStop::Kind;

namespace {

// What was executed, in the order of the board.
struct Trace : mgmt::InstructionObserver {
  struct Line {
    unsigned hart;
    std::uint64_t pc;
    sc_core::sc_time at;
  };
  void instruction(unsigned number, const riscv::Hart& hart, const sc_core::sc_time& at) override {
    const riscv::HartState state = hart.save();
    const bool sleeps =
        state.waiting && ((state.csrs.mip | state.csrs.lines) & state.csrs.mie) == 0;
    if (sleeps) return;  // it tries in vain
    lines.push_back({number, hart.pc(), at});
  }
  std::vector<Line> lines;
};

mgmt::History::Limits limits_of(std::uint64_t instructions, std::size_t records) {
  mgmt::History::Limits limits;
  limits.instructions = instructions;
  limits.records = records;
  return limits;
}

void configure(mgmt::BoardConfig& config, unsigned harts) {
  config.harts = harts;
  config.ram_bytes = 4 << 20;
  config.poll_us = 50;
}

// Steps of random harts back and forth, against the trace of the first time.
void walk(unsigned harts, double quantum_us, double cpi) {
  BoardBench bench("walk", [&](mgmt::BoardConfig& config) {
    configure(config, harts);
    config.quantum_us = quantum_us;
    config.cpi = cpi;
  });
  mgmt::Board& board = bench.board;
  Trace trace;
  board.set_observer(&trace);
  bench.terminal.type("history");
  board.set_poll([&] { return board.now() >= us(3000); });
  mgmt::History history(board, sc_core::sc_max_time(), limits_of(5000, 12));
  CHECK(history.run().kind == Kind::kRequest);
  REQUIRE(trace.lines.size() > 50000);
  Picture end = Picture::of(board);
  const std::string output = bench.terminal.output();
  CHECK(output == "history");

  std::mt19937_64 random(test_seed());
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, Picture> seen;
  unsigned steps = 0;
  for (unsigned round = 0; round < 100; ++round) {
    const bool back = round % 2 == 0;
    for (auto left = random() % 40; left > 0; --left, ++steps) {
      const auto hart = static_cast<unsigned>(random() % harts);
      const mgmt::BoardStop stop = back ? history.step_back(hart) : history.step(hart);
      if (stop.kind == Kind::kBegin) break;
      CHECK(stop.kind == Kind::kStep);
      CHECK(stop.hart == hart);
      if (!history.in_past()) end = Picture::of(board);
      CHECK(history.in_past() == (board.moment() < end.at));
    }
    const Picture here = Picture::of(board);
    const auto known = seen.try_emplace({here.at.at.value(), here.at.cycles, here.at.turn}, here);
    CHECK(known.first->second == here);
  }
  CHECK(steps > 500);
  if (history.in_past()) CHECK(history.run().kind == Kind::kRequest);
  CHECK(Picture::of(board) == end);
  CHECK(bench.terminal.output() == output);
}

}  // namespace

TEST_CASE("history: random steps back and forth, one hart") {
  walk(1, 10, 1);
}
TEST_CASE("history: random steps back and forth, three harts") {
  walk(3, 10, 1);
}
TEST_CASE(
    "history: random steps back and forth, two harts, instructions that do not fill a round") {
  walk(2, 7, 1.37);
}
TEST_CASE("history: random steps back and forth, two harts, long rounds") {
  walk(2, 1100, 1);
}

// Each step back is the instruction that the observer saw.
TEST_CASE("history: steps back follow the trace to its start, and forth again") {
  BoardBench bench("walk", [](mgmt::BoardConfig& config) {
    configure(config, 2);
    config.quantum_us = 0.5;
  });
  mgmt::Board& board = bench.board;
  Trace trace;
  board.set_observer(&trace);
  sc_core::sc_time until = us(4);
  board.set_poll([&] { return board.now() >= until; });
  mgmt::History history(board, sc_core::sc_max_time());
  CHECK(history.run().kind == Kind::kRequest);
  const Picture end = Picture::of(board);
  const std::vector<Trace::Line> lines = trace.lines;
  for (unsigned hart = 0; hart < 2; ++hart) {
    std::vector<mgmt::Moment> moments;
    for (std::size_t i = lines.size(); i-- > 0;) {
      if (lines[i].hart != hart) continue;
      const mgmt::BoardStop stop = history.step_back(hart);
      REQUIRE(stop.kind == Kind::kStep);
      CHECK(board.hart(hart).save().pc == lines[i].pc);
      CHECK(board.now(hart) == lines[i].at);
      moments.push_back(board.moment());
    }
    CHECK(moments.size() > 1500);
    CHECK(history.step_back(hart).kind == Kind::kBegin);
    CHECK(board.moment() == history.begin());
    // A step ends after the instruction, a step back before it: the harts between are other ones.
    for (std::size_t i = moments.size(); i-- > 0;) {
      CHECK(history.step(hart).kind == Kind::kStep);
      CHECK(board.before_newest(hart) == moments[i]);
    }
    CHECK(history.run().kind == Kind::kRequest);
    CHECK(Picture::of(board) == end);
  }
  CHECK(trace.lines.size() == lines.size());
  // An observer sees what is new, at the board's own time.
  CHECK(board.late() > us(1));
  until = us(6);
  CHECK(history.run().kind == Kind::kRequest);
  REQUIRE(trace.lines.size() > lines.size() + 500);
  for (std::size_t i = lines.size(); i < trace.lines.size(); ++i) {
    CHECK(trace.lines[i].at >= us(4));
    CHECK(trace.lines[i].at < us(6.6));
  }
}

// Disturbances of every kind, then to each of their moments at random.
TEST_CASE("history: steps of single harts, writes and input happen again") {
  BoardBench bench("walk", [](mgmt::BoardConfig& config) { configure(config, 3); });
  mgmt::Board& board = bench.board;
  mgmt::History history(board, sc_core::sc_max_time(), limits_of(3000, 10));
  std::mt19937_64 random(test_seed());
  std::vector<Picture> pictures{Picture::of(board)};
  std::string typed;
  for (unsigned i = 0; i < 150; ++i) {
    switch (random() % 5) {
      case 0: {
        const auto hart = static_cast<unsigned>(random() % 3);
        for (auto left = random() % 30; left > 0; --left)
          CHECK(history.step(hart).kind == Kind::kStep);
        break;
      }
      case 1: {
        const std::uint64_t value = random();
        CHECK(history.write_memory(0x80030000 + random() % 0x20000, &value, sizeof value));
        break;
      }
      case 2: {
        const auto hart = static_cast<unsigned>(random() % 3);
        riscv::HartState state = board.hart(hart).save();
        state.x[25] = random();
        board.hart(hart).restore(state);
        history.hart_written(hart);
        break;
      }
      case 3:
        typed += static_cast<char>('a' + random() % 26);
        bench.terminal.type(typed.substr(typed.size() - 1));
        break;
      default: {
        const auto stop_at = static_cast<std::uint64_t>(random() % 40);
        board.set_poll([&, left = stop_at]() mutable { return left-- == 0; });
        CHECK(history.run().kind == Kind::kRequest);
        board.set_poll({});
      }
    }
    const Picture here = Picture::of(board);
    if (pictures.back().at == here.at) {
      pictures.back() = here;  // a moment is after what was written there
    } else {
      pictures.push_back(here);
    }
  }
  const std::string output = bench.terminal.output();
  CHECK(output.size() > 5);
  for (unsigned i = 0; i < 200; ++i) {
    const Picture& there = pictures[random() % pictures.size()];
    if (there.at < history.begin()) continue;
    CHECK(history.go_to(there.at).kind == Kind::kReached);
    CHECK(Picture::of(board) == there);
    CHECK(history.in_past() == (there.at < pictures.back().at));
  }
  CHECK(bench.terminal.output() == output);
  CHECK(history.begin() == pictures.front().at);
}

// The same with every device of the management domain: Tern's own firmware boots.
TEST_CASE("history: Tern's own firmware, to moments of its boot at random") {
  FirmwareBench bench;
  mgmt::Board& board = bench.board;
  mgmt::History history(board, sc_core::sc_max_time(), limits_of(200000, 30));
  std::vector<Picture> pictures;
  bench.domain().control().set_phase_handler([&](std::uint32_t phase, const sc_core::sc_time& at) {
    if (!board.replaying()) bench.phases.push_back({phase, at.to_seconds()});
  });
  unsigned rounds = 0;
  board.set_poll([&] { return ++rounds % 97 == 0; });
  while (bench.last_phase() != TERN_PHASE_READY || pictures.size() < 50) {
    REQUIRE(history.run().kind == Kind::kRequest);
    pictures.push_back(Picture::of(board));
    REQUIRE(pictures.size() < 3000);
  }
  for (unsigned i = 0; i < 30; ++i) {
    CHECK(history.step(0).kind == Kind::kStep);
    pictures.push_back(Picture::of(board));
  }
  board.set_poll({});
  const std::size_t phases = bench.phases.size();
  std::mt19937_64 random(test_seed());
  for (unsigned i = 0; i < 60; ++i) {
    const Picture& there = pictures[random() % pictures.size()];
    CHECK(history.go_to(there.at).kind == Kind::kReached);
    CHECK(Picture::of(board) == there);
  }
  CHECK(bench.phases.size() == phases);
}
