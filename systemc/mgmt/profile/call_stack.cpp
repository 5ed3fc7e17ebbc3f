// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/profile/call_stack.h"

namespace tern::mgmt {

namespace {

constexpr unsigned kRa = 1, kT0 = 5;

bool is_link(unsigned reg) {
  return reg == kRa || reg == kT0;
}

}  // namespace

// The hints of the manual for return-address stacks: ra and t0 are link registers.
CallStack::Kind CallStack::kind_of(std::uint32_t word) {
  const unsigned rd = word >> 7 & 31, rs1 = word >> 15 & 31;
  if ((word & 3) != 3) {
    const unsigned half = word & 0xffff;
    if ((half & 0xe003) == 0xa001) return Kind::kJump;  // c.j
    if ((half & 0xe003) == 0xc001 || (half & 0xe003) == 0xe001) return Kind::kBranch;
    if ((half & 0xf07f) == 0x9002 && rd != 0) return Kind::kCall;  // c.jalr
    if ((half & 0xf07f) == 0x8002 && rd != 0) return is_link(rd) ? Kind::kReturn : Kind::kJump;
    return Kind::kOther;
  }
  switch (word & 0x7f) {
    case 0x6f:
      return is_link(rd) ? Kind::kCall : Kind::kJump;
    case 0x67:
      if (is_link(rd)) return Kind::kCall;
      return is_link(rs1) ? Kind::kReturn : Kind::kJump;
    case 0x63:
      return Kind::kBranch;
    default:
      return word == 0x30200073 || word == 0x10200073 ? Kind::kTrapReturn : Kind::kOther;
  }
}

bool CallStack::push(const Frame& frame) {
  if (frames_.size() >= kDeepest) return false;
  frames_.push_back(frame);
  return true;
}

bool CallStack::pop_to(std::uint64_t pc) {
  for (std::size_t i = frames_.size(); i-- > 0 && !frames_[i].trap;) {
    if (frames_[i].returns_to != pc) continue;
    frames_.resize(i);
    return true;
  }
  return false;
}

bool CallStack::pop_trap() {
  for (std::size_t i = frames_.size(); i-- > 0;) {
    if (!frames_[i].trap) continue;
    frames_.resize(i);
    return true;
  }
  return false;
}

bool CallStack::step(std::uint64_t pc, std::uint32_t word, std::size_t caller) {
  bool changed = false;
  const bool follows = pc == last_next_;
  switch (begun_ ? last_ : Kind::kJump) {
    case Kind::kCall:
      // A call to the next instruction reads the pc.
      if (!follows) changed = push({last_next_, caller, false});
      break;
    case Kind::kReturn:
      changed = pop_to(pc);
      break;
    case Kind::kTrapReturn:
      changed = pop_trap();
      break;
    case Kind::kOther:
      if (!follows) changed = push({last_next_, caller, true});
      break;
    case Kind::kBranch:
    case Kind::kJump:
      break;
  }
  begun_ = true;
  last_ = kind_of(word);
  last_next_ = pc + ((word & 3) == 3 ? 4 : 2);
  return changed;
}

}  // namespace tern::mgmt
