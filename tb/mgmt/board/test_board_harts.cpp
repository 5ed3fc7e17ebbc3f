// SPDX-License-Identifier: Apache-2.0
// Time, interrupts and several harts, with programs whose results are known. A tick is 100 ns, an
// instruction 1 ns.
#include <catch2/catch.hpp>

#include "tb/mgmt/board/board_bench.h"

using namespace tern;
using namespace tern::tb;
using Kind = mgmt::BoardStop::Kind;

namespace {

void check_timer(double quantum_us, unsigned harts) {
  BoardBench bench("timer", [&](mgmt::BoardConfig& config) {
    config.quantum_us = quantum_us;
    config.harts = harts;
  });
  const mgmt::BoardStop stop = bench.board.run();
  CHECK(stop.kind == Kind::kPass);
  CHECK(stop.hart == 0);
  CHECK(bench.result(0) == 5000);
  CHECK((bench.result(8) & 0x80) != 0);
  CHECK(bench.result(16) == 7000);
  CHECK(bench.result(24) == (std::uint64_t{1} << 63 | 7));
  // The handler's first instruction is at 700 us; mcycle is read as the fifth one.
  CHECK(bench.result(32) == 700'000 + 4);
  CHECK(stop.at >= us(700));
  CHECK(stop.at < us(700) + ns(20));
  // Asleep until 500 us: only the rest are instructions.
  CHECK(bench.board.instructions(0) > 200'000);
  CHECK(bench.board.instructions(0) < 200'100);
}

// Three times of ipi.S.
void check_ipi(unsigned harts, double quantum_us) {
  BoardBench bench("ipi", [&](mgmt::BoardConfig& config) {
    config.harts = harts;
    config.quantum_us = quantum_us;
  });
  bench.set(0x100, harts - 1);
  CHECK(bench.board.run(us(1000)).kind == Kind::kPass);
  const std::uint64_t sent = bench.result(0), arrived = bench.result(8),
                      answered = bench.result(16);
  const auto quantum = static_cast<std::uint64_t>(quantum_us * 10);
  CHECK(sent == 66);  // 3,333 rounds of two instructions
  // The last hart is behind the first one in its round, so it gets the interrupt in time.
  CHECK(arrived == sent);
  CHECK(answered >= arrived);
  CHECK(answered <= arrived + quantum + 1);
}

void check_count(unsigned harts, double quantum_us) {
  BoardBench bench("count", [&](mgmt::BoardConfig& config) {
    config.harts = harts;
    config.quantum_us = quantum_us;
  });
  bench.set(0x100, harts - 1);
  CHECK(bench.board.run(us(10'000)).kind == Kind::kPass);
  CHECK(bench.result(0) == 5000 * harts);
  CHECK(bench.result(8) == 5000 * harts);
  CHECK(bench.result(24) == harts);
  INFO("store-conditionals that failed: " << bench.result(16));
  CHECK((harts == 1) == (bench.result(16) == 0));
}

}  // namespace

TEST_CASE("board: timer in wfi and in a loop, exact with a short quantum") {
  check_timer(0.1, 1);
}
TEST_CASE("board: timer in wfi and in a loop, exact with a long quantum") {
  check_timer(1000, 1);
}
TEST_CASE("board: timer in wfi and in a loop, exact next to other harts") {
  check_timer(7.3, 3);
}

TEST_CASE("board: interrupts between two harts") {
  check_ipi(2, 10);
}
TEST_CASE("board: interrupts between the first and the last of eight harts") {
  check_ipi(8, 1);
}
TEST_CASE("board: interrupts between two harts with a quantum longer than the program") {
  check_ipi(2, 100);
}

TEST_CASE("board: atomics of one hart") {
  check_count(1, 10);
}
TEST_CASE("board: atomics of four harts") {
  check_count(4, 10);
}
TEST_CASE("board: atomics of eight harts with the shortest quantum") {
  check_count(8, 0.1);
}

TEST_CASE("board: an instruction takes cpi / clock") {
  BoardBench bench("ticks", [](mgmt::BoardConfig& config) {
    config.clock_ghz = 0.5;
    config.cpi = 1.5;
  });
  const mgmt::BoardStop stop = bench.board.run(us(30));
  CHECK(stop.kind == Kind::kTimeLimit);
  CHECK(stop.at == us(30));
  CHECK(bench.board.hart(0).cycles() == 10'000);
}

TEST_CASE("board: two harts print at their timers") {
  BoardBench bench("ticks", [](mgmt::BoardConfig& config) { config.harts = 2; });
  CHECK(bench.board.run().kind == Kind::kPass);
  const std::string& text = bench.terminal.output();
  CHECK(text.size() >= 399);
  CHECK(text.substr(0, 4) == "abab");
}

TEST_CASE("board: RV32, and the access fault of a hole") {
  BoardBench bench("hello32", [](mgmt::BoardConfig& config) { config.isa = "rv32imac"; });
  CHECK(bench.board.run(us(100)).kind == Kind::kPass);
  CHECK(bench.terminal.output() == "hello, 32 bits\n");
  CHECK(bench.result(0) == (0x40000004ull << 32 | 5));
  CHECK((bench.result(8) & 0xC0000000) == 0x40000000);
}
