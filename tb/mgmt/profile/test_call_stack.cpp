// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "systemc/mgmt/profile/call_stack.h"

using namespace tern;  // NOLINT
using mgmt::CallStack;

namespace {

constexpr std::uint32_t kNop = 0x13, kCall = 0x100000ef, kRet = 0x00008067, kMret = 0x30200073;
constexpr std::uint32_t kJump = 0x1000006f, kBranch = 0x00000063, kHalfRet = 0x8082, kHalfNop = 1;

// The depth after each instruction of a path.
struct Step {
  std::uint64_t pc;
  std::uint32_t word;
  std::size_t depth;
};
void check(const std::vector<Step>& path) {
  CallStack stack;
  for (const Step& step : path) {
    stack.step(step.pc, step.word, step.pc);
    CAPTURE(step.pc);
    CHECK(stack.frames().size() == step.depth);
  }
}

}  // namespace

TEST_CASE("call stack: calls and returns, nested, with compressed instructions") {
  check({{0x100, kNop, 0},
         {0x104, kCall, 0},
         {0x200, kNop, 1},
         {0x204, kCall, 1},
         {0x300, kHalfNop, 2},
         {0x302, kHalfRet, 2},
         {0x208, kRet, 1},
         {0x108, kNop, 0}});
}

TEST_CASE("call stack: jumps, branches and reading the pc are no calls") {
  check({{0x100, kJump, 0},
         {0x200, kBranch, 0},
         {0x300, 0x004000ef, 0},  // jal ra, to the next instruction
         {0x304, kRet, 0},        // to wherever ra leads
         {0x800, kNop, 0}});
}

TEST_CASE("call stack: a return over several calls, and one to nowhere") {
  check({{0x100, kCall, 0},
         {0x200, kCall, 1},
         {0x300, kCall, 2},
         {0x400, kRet, 3},  // longjmp: to the first caller
         {0x104, kRet, 0},
         {0x900, kNop, 0}});
}

TEST_CASE("call stack: a trap keeps what it interrupts, and returns there") {
  check({{0x100, kCall, 0},
         {0x200, kNop, 1},
         {0x800, kCall, 2},  // the handler, after an interrupt
         {0x900, kRet, 3},
         {0x804, kMret, 2},
         {0x204, kRet, 1},
         {0x104, kNop, 0}});
}

TEST_CASE("call stack: endless recursion is kept up to a depth") {
  CallStack stack;
  for (unsigned i = 0; i < 10000; ++i) stack.step(0x1000 + 0x100 * i, kCall, 0);
  CHECK(stack.frames().size() == CallStack::kDeepest);
}
