// SPDX-License-Identifier: Apache-2.0
// Runs of random programs that must not depend on how they are cut.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/riscv/random_program.h"
#include "tb/riscv/small_board.h"

using namespace tern;  // NOLINT

namespace {

constexpr std::uint64_t kRam = 2 << 20, kLimit = 10000000;

void check_equal(const riscv::HartState& a, const riscv::HartState& b) {
  CHECK(a.pc == b.pc);
  CHECK(a.x == b.x);
  CHECK(a.f == b.f);
  CHECK(a.cycles == b.cycles);
  CHECK(a.retired == b.retired);
  CHECK(a.csrs.mcause == b.csrs.mcause);
  CHECK(a.csrs.fflags == b.csrs.fflags);
}

}  // namespace

TEST_CASE("a program ends in the same state and cycle whatever the quantum") {
  const std::vector<std::uint8_t> image = tb::random_program(64, tb::test_seed(), 3000, 3);
  tb::SmallBoard whole({}, kRam);
  whole.load(image);
  REQUIRE(whole.run(kLimit, kLimit));
  for (const std::uint64_t quantum : {1, 2, 7, 1000}) {
    tb::SmallBoard cut({}, kRam);
    cut.load(image);
    REQUIRE(cut.run(kLimit, quantum));
    CHECK(cut.output == whole.output);
    check_equal(cut.hart->save(), whole.hart->save());
  }
}

TEST_CASE("run(n) executes n instructions") {
  tb::SmallBoard board({}, kRam);
  board.load(tb::random_program(64, tb::test_seed(), 3000, 3));
  std::uint64_t total = 0;
  for (std::uint64_t n = 1; n < 200; n += 3) {
    REQUIRE(board.hart->run(n) == riscv::Stop::kBudget);
    total += n;
    REQUIRE(board.hart->cycles() == total);
  }
}

TEST_CASE("a snapshot continues on another board as on its own") {
  tb::SmallBoard first({}, kRam);
  first.load(tb::random_program(64, tb::test_seed(), 3000, 3));
  first.hart->run(4321);
  tb::SmallBoard second({}, kRam);
  std::copy(first.ram.begin(), first.ram.end(), second.ram.begin());
  REQUIRE(second.hart->save().pc == tb::SmallBoard::kBase);
  second.hart->restore(first.hart->save());
  const std::size_t printed = first.output.size();
  REQUIRE(first.run(kLimit));
  REQUIRE(second.run(kLimit));
  CHECK(second.output == first.output.substr(printed));
  check_equal(second.hart->save(), first.hart->save());
}
