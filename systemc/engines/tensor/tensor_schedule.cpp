// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_schedule.h"

#include <algorithm>

namespace tern {

bool TensorSchedule::has_room(std::uint64_t at) const {
  // The newest `command_depth` commands decide: there is room once the oldest of them has retired
  // before `at`.
  const std::size_t depth = shape_.command_depth;
  return retires_.size() < depth || retires_[retires_.size() - depth] < at;
}

std::uint64_t TensorSchedule::next_event() const {
  if (!ready() && has_room(cycle_ + 1)) return cycle_ + 1;
  const auto next = std::upper_bound(retires_.begin(), retires_.end(), cycle_);
  const std::uint64_t status = next == retires_.end() ? TensorDatapath::kIdle : *next;
  return psum_busy() ? std::min(status, access_.end()) : status;
}

void TensorSchedule::move_to(std::uint64_t cycle) {
  if (cycle == cycle_) return;
  cycle_ = cycle;
  pushed_ = false;
  while (!retires_.empty() && retires_.front() < cycle_) retires_.pop_front();
}

TensorTimeline::Slot TensorSchedule::push(const TensorCommand& command, bool accepted) {
  pushed_ = true;
  TensorTimeline::Slot slot;
  if (accepted) {
    slot = timeline_.accepted(cycle_, command);
    if (command.op != TensorOp::kLoadStationary) {
      access_.array_issues(cycle_, slot.issue, command);
    }
  } else {
    slot = timeline_.rejected(cycle_);
  }
  retires_.push_back(slot.retire);
  return slot;
}

}  // namespace tern
