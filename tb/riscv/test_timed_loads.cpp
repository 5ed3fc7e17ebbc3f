// SPDX-License-Identifier: Apache-2.0
// Harts whose loads take the time of their memory, and stop at traps: as GpSimd's processors.
#include <catch2/catch.hpp>
#include <initializer_list>

#include "tb/riscv/small_board.h"

using namespace tern;  // NOLINT
using riscv::Cause;
using riscv::Stop;

namespace {

constexpr std::uint64_t kBase = tb::SmallBoard::kBase, kSlow = 0x40000000;
constexpr std::uint32_t kNop = 0x13, kLoadX6 = 0x0002a303, kStoreX6 = 0x0062a023;  // with (x5)

// One page of memory that takes a cycle more, one of eight, one without code.
struct TimedBoard {
  TimedBoard(std::uint64_t x5, std::initializer_list<std::uint32_t> code, std::uint64_t at = 0)
      : board(config(), 0x1000), slow(0x1000) {
    std::copy(code.begin(), code.end(), reinterpret_cast<std::uint32_t*>(board.ram.data() + at));
    board.memory.find(kBase)->load_cycles = 1;
    board.memory.add({kSlow, slow.size(), slow.data(), true, true, false, {}, 7});
    riscv::HartState state = board.hart->save();
    state.x[5] = x5;
    state.pc = kBase + at;
    board.hart->restore(state);
  }
  static riscv::HartConfig config() {
    riscv::HartConfig config;
    config.xlen = 32;
    config.timed_loads = config.stop_at_traps = true;
    config.compressed = config.misaligned_data = false;
    return config;
  }

  tb::SmallBoard board;
  std::vector<std::uint8_t> slow;
};

}  // namespace

TEST_CASE("timed loads: a load takes the cycles of its memory, a store and the count do not") {
  for (const auto& [address, cycles] : {std::pair{kBase + 0x800, 2}, {kSlow, 8}}) {
    TimedBoard timed(address, {kLoadX6, kStoreX6, kLoadX6, kNop, kLoadX6});
    riscv::Hart& hart = *timed.board.hart;
    CHECK(hart.run(5) == Stop::kBudget);  // five instructions
    CHECK(hart.cycles() == 5u + 3u * (static_cast<unsigned>(cycles) - 1));
    CHECK(hart.save().retired == 5);
    const riscv::HartState state = hart.save();
    hart.restore(state);
    CHECK(hart.cycles() == state.cycles);
    CHECK(hart.save().retired == 5);
  }
  riscv::HartConfig wide;
  wide.timed_loads = true;
  CHECK_THROWS_AS(tb::SmallBoard(wide, 0x1000), std::invalid_argument);
}

TEST_CASE("timed loads: a load that traps takes one cycle") {
  TimedBoard timed(kSlow + 2, {kNop, kLoadX6});
  riscv::Hart& hart = *timed.board.hart;
  CHECK(hart.run(10) == Stop::kTrap);
  CHECK(hart.cycles() == 2);
  CHECK(hart.trap().cause == Cause::kLoadMisaligned);
  CHECK(hart.trap().value == kSlow + 2);
  CHECK(hart.save().csrs.mepc == kBase + 4);
  CHECK(hart.save().retired == 1);
}

TEST_CASE("stop at traps: the jump out of the code is known, whenever the run is cut") {
  constexpr std::uint32_t kJumpX5 = 0x00028067;  // jalr x0, 0(x5)
  for (const std::uint64_t first : {1, 2, 10}) {
    TimedBoard timed(kSlow, {kNop, kJumpX5});
    riscv::Hart& hart = *timed.board.hart;
    Stop stop = hart.run(first);
    if (stop == Stop::kBudget) stop = hart.run(10);
    CHECK(stop == Stop::kTrap);
    CHECK(hart.trap().cause == Cause::kInstructionAccess);
    CHECK(hart.trap().value == kSlow);
    CHECK(hart.save().csrs.mepc == kSlow);
    CHECK(hart.before_fetch() == kBase + 4);
  }
}

TEST_CASE("stop at traps: code that ends without a jump") {
  TimedBoard timed(0, {kNop, kNop}, 0xff8);
  riscv::Hart& hart = *timed.board.hart;
  CHECK(hart.run(10) == Stop::kTrap);
  CHECK(hart.trap().value == kBase + 0x1000);
  CHECK(hart.before_fetch() == kBase + 0x1000);
}
