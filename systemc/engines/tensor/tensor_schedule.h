// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "systemc/engines/tensor/psum_access.h"
#include "systemc/engines/tensor/tensor_datapath.h"
#include "systemc/engines/tensor/tensor_timeline.h"

namespace tern {

// When a tensor datapath takes commands, and when they and PSUM transfers end: without data, from
// the cycles in which they come. Model and RTL keep to it (rtl/tensor/README.md, "Timing").
class TensorSchedule {
 public:
  explicit TensorSchedule(const TensorShape& shape)
      : shape_(shape), timeline_(shape), access_(shape) {}

  std::uint64_t cycle() const { return cycle_; }
  // As of TensorDatapath.
  bool ready() const { return !pushed_ && has_room(cycle_); }
  std::uint64_t next_event() const;
  void move_to(std::uint64_t cycle);

  // A command in this cycle. accepted: check_tensor_command() finds no fault with it.
  TensorTimeline::Slot push(const TensorCommand& command, bool accepted);

  void psum_start(const PsumTransfer& transfer) { access_.start(cycle_, transfer); }
  bool psum_busy() const { return access_.busy(cycle_); }
  std::uint64_t psum_end() const { return access_.end(); }
  std::uint64_t psum_conflicts() const { return access_.conflicts(); }

  // From this cycle on the next command waits for nothing that came before it.
  std::uint64_t settled() const { return timeline_.settled(); }

 private:
  // Commands leave room in the queue in cycle `at`.
  bool has_room(std::uint64_t at) const;

  TensorShape shape_;
  TensorTimeline timeline_;
  PsumAccess access_;
  std::uint64_t cycle_ = 0;
  bool pushed_ = false;  // in this cycle
  // Of accepted commands, from the oldest that may hold a slot.
  std::deque<std::uint64_t> retires_;
};

}  // namespace tern
