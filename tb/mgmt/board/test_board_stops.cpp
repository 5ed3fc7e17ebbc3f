// SPDX-License-Identifier: Apache-2.0
// How a board stops and continues, and what others may do with its memory.
#include <catch2/catch.hpp>

#include "sw/base/stop.h"
#include "sw/base/user_error.h"
#include "tb/common/tlm_access.h"
#include "tb/mgmt/board/board_bench.h"

using namespace tern;
using namespace tern::tb;
using Kind = mgmt::BoardStop::Kind;

TEST_CASE("board: a limit is exact, and the run continues") {
  BoardBench bench("ticks");
  for (unsigned i = 1; i <= 3; ++i) {
    const mgmt::BoardStop stop = bench.board.run(ns(1234.0 * i));
    CHECK(stop.kind == Kind::kTimeLimit);
    CHECK(bench.board.hart(0).cycles() == 1234 * i);
  }
  CHECK(bench.board.run().kind == Kind::kPass);
  CHECK(bench.terminal.output() == std::string(200, 'a'));
}

TEST_CASE("board: harts that nothing can wake") {
  mgmt::Board::prepare_simulation();
  mgmt::BoardConfig config = mgmt::load_board_config("mgmt");
  config.harts = 3;
  mgmt::BoardImages images;
  images.images.push_back(
      mgmt::read_image(std::string(TERN_PROGRAMS) + "/sleep.elf", config, mgmt::kMemoryBase));
  mgmt::Board board("board", config, images, nullptr);
  CHECK(board.run().kind == Kind::kAsleep);
}

TEST_CASE("board: harts asleep skip to the limit, while input may come") {
  BoardBench bench("sleep");
  const mgmt::BoardStop stop = bench.board.run(sc_core::sc_time(100, sc_core::SC_SEC));
  CHECK(stop.kind == Kind::kTimeLimit);
  CHECK(stop.at == sc_core::sc_time(100, sc_core::SC_SEC));
  CHECK(bench.board.instructions() < 100);
}

TEST_CASE("board: a request to the program ends the run, also of a board asleep") {
  BoardBench bench("sleep");
  CHECK(bench.board.run(us(50)).kind == Kind::kTimeLimit);
  base::stop_request() = true;
  const mgmt::BoardStop stop = bench.board.run();
  base::stop_request() = false;
  CHECK(stop.kind == Kind::kInterrupted);
  CHECK(stop.at <= us(1050));
}

TEST_CASE("board: breakpoints stop before their instruction, in any hart") {
  BoardBench bench("ticks", [](mgmt::BoardConfig& config) { config.harts = 2; });
  CHECK(bench.board.run(us(5)).kind == Kind::kTimeLimit);
  const std::uint64_t pc = bench.board.hart(1).save().pc;
  bench.board.hart(1).add_breakpoint(pc);
  std::uint64_t before = bench.board.hart(1).cycles();
  for (unsigned i = 0; i < 3; ++i) {
    const mgmt::BoardStop stop = bench.board.run();
    CHECK(stop.kind == Kind::kBreakpoint);
    CHECK(stop.hart == 1);
    CHECK(bench.board.hart(1).save().pc == pc);
    if (i > 0) CHECK(bench.board.hart(1).cycles() == before + 4);  // once around the loop
    before = bench.board.hart(1).cycles();
  }
  bench.board.hart(1).remove_breakpoint(pc);
  CHECK(bench.board.run().kind == Kind::kPass);
}

TEST_CASE("board: peek sees memory, ROM and registers, and changes nothing") {
  BoardBench bench("ticks");
  CHECK(bench.board.run(us(20)).kind == Kind::kTimeLimit);
  std::uint64_t compare = 0, word = 0;
  CHECK(bench.board.peek(mgmt::kClintBase + 0x4000, &compare, 8));
  CHECK(compare == 3 * 97);
  CHECK(bench.board.peek(mgmt::kBootRomBase, &word, 4));
  CHECK(word != 0);
  CHECK_FALSE(bench.board.peek(0x40000000, &word, 4));
  CHECK_FALSE(bench.board.poke(mgmt::kBootRomBase, &word, 4));
  CHECK_FALSE(bench.board.peek(bench.config.ram_end() - 4, &word, 8));
}

TEST_CASE("board: another master writes memory by TLM, and code is decoded anew") {
  BoardBench bench("patch");
  TlmAccess other("other");
  other.socket.bind(bench.board.ram().socket);
  CHECK(bench.board.run(us(20)).kind == Kind::kTimeLimit);
  // The jump back has two bytes or four; nops replace it.
  std::uint32_t code = 0;
  CHECK(other.read(2, &code, 4).status == tlm::TLM_OK_RESPONSE);
  const bool compressed = (code & 3) != 3;
  const std::uint32_t nops = 0x00010001;
  CHECK(other.write(2, &nops, compressed ? 2 : 4).status == tlm::TLM_OK_RESPONSE);
  CHECK(bench.board.run(us(40)).kind == Kind::kPass);
  CHECK(other.read(bench.config.ram_bytes - 2, &code, 4).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

namespace {

// A disk that is full after some bytes.
struct FullDisk : mgmt::UartBackend {
  unsigned room = 5;
  void transmit(std::uint8_t) override {
    if (room-- == 0) throw RunError("disk: write failed");
  }
  std::optional<std::uint8_t> receive() override { return std::nullopt; }
};

}  // namespace

TEST_CASE("board: what a backend throws leaves run() as it is") {
  mgmt::Board::prepare_simulation();
  const mgmt::BoardConfig config = mgmt::load_board_config("mgmt");
  mgmt::BoardImages images;
  images.images.push_back(
      mgmt::read_image(std::string(TERN_PROGRAMS) + "/ticks.elf", config, mgmt::kMemoryBase));
  FullDisk disk;
  mgmt::Board board("board", config, images, &disk);
  CHECK_THROWS_WITH(board.run(), "disk: write failed");
  CHECK_THROWS_AS(board.run(), RunError);
}

TEST_CASE("board: images that overlap are refused") {
  mgmt::Board::prepare_simulation();
  const mgmt::BoardConfig config = mgmt::load_board_config("mgmt");
  mgmt::BoardImages images;
  for (unsigned i = 0; i < 2; ++i)
    images.images.push_back(mgmt::parse_image("twice", "1234", config, mgmt::kMemoryBase));
  CHECK_THROWS_AS(mgmt::Board("board", config, images, nullptr), UserError);
  CHECK_THROWS_AS(mgmt::Board("empty", config, {}, nullptr), UserError);
}

TEST_CASE("board: a poll stops a hart within a long round, which then continues") {
  BoardBench bench("walk", [](mgmt::BoardConfig& config) {
    config.harts = 2;
    config.quantum_us = 1e6;
  });
  mgmt::Board& board = bench.board;
  unsigned polls = 0;
  board.set_poll([&polls] { return ++polls % 5 == 0; });
  std::uint64_t before = 0;
  for (unsigned i = 0; i < 10; ++i) {
    const mgmt::BoardStop stop = board.run();
    CHECK(stop.kind == Kind::kRequest);
    CHECK(stop.hart == 0);
    const std::uint64_t cycles = board.hart(0).cycles();
    CHECK(cycles > before);
    CHECK(cycles - before <= 1'000'000);  // five slices, and sleep
    before = cycles;
  }
  CHECK(board.instructions(1) == 0);
  CHECK(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);  // still in its first round
}
