// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tern::mgmt {

// Who has called whom, from the instructions that a hart executes: jumps that link are calls, jumps
// to a link register return, and what follows no instruction is a trap, up to its mret or sret.
// A return to nobody's return address (longjmp, a scheduler) leaves the stack as it is.
class CallStack {
 public:
  static constexpr std::size_t kDeepest = 256;  // deeper calls are not kept

  // A call that has not returned; caller: what the owner knows it by.
  struct Frame {
    std::uint64_t returns_to = 0;
    std::size_t caller = 0;
    bool trap = false;
  };

  // The next instruction and its bits, in the function `caller` until now. Whether the stack has
  // changed.
  bool step(std::uint64_t pc, std::uint32_t word, std::size_t caller);
  const std::vector<Frame>& frames() const { return frames_; }

 private:
  enum class Kind : std::uint8_t { kOther, kBranch, kJump, kCall, kReturn, kTrapReturn };
  static Kind kind_of(std::uint32_t word);
  bool push(const Frame& frame);
  bool pop_to(std::uint64_t pc);
  bool pop_trap();

  std::vector<Frame> frames_;
  bool begun_ = false;
  Kind last_ = Kind::kOther;
  std::uint64_t last_next_ = 0;  // the address after the last instruction
};

}  // namespace tern::mgmt
