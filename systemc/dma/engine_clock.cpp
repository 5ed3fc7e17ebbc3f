// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/engine_clock.h"

#include <algorithm>

namespace tern::dma {

EngineClock::EngineClock(sc_core::sc_module_name name, double ghz) : sc_module(name), domain_(ghz) {
  SC_HAS_PROCESS(EngineClock);
  SC_METHOD(wake_members);
  sensitive << wake_;
  dont_initialize();
}

unsigned EngineClock::add(Member& member) {
  members_.push_back(&member);
  due_.push_back(UINT64_MAX);
  return static_cast<unsigned>(members_.size()) - 1;
}

void EngineClock::set_due(unsigned member, std::uint64_t fs) {
  due_[member] = fs;
  if (waking_ || fs >= notified_) return;
  notified_ = fs;
  wake_.notify(from_fs(fs - now_fs()));
}

// A member that becomes due now, after it was visited, is woken in the next delta cycle.
void EngineClock::wake_members() {
  const std::uint64_t now = now_fs();
  look(now);
  waking_ = true;
  for (std::size_t n = 0; n < members_.size(); ++n) {
    if (due_[n] > now) continue;
    due_[n] = UINT64_MAX;
    members_[n]->wake();
  }
  waking_ = false;
  notified_ = *std::min_element(due_.begin(), due_.end());
  if (notified_ != UINT64_MAX) wake_.notify(from_fs(notified_ - now));
}

void EngineClock::find_present(std::uint64_t now) const {
  present_ = cycle_begun(now);
  begin_fs_ = fs_of(present_);
  next_fs_ = fs_of(present_ + 1);
}

}  // namespace tern::dma
