// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "sw/nki/passes/cost.h"
#include "sw/spec/generated/isa.h"

namespace tern::nki {

// Estimated times of instructions that the queues of a core get one by one. A queue issues in
// order; the DMA engines serve the transfers in the order of their triggers.
class QueueTimes {
 public:
  explicit QueueTimes(const ChipConfig& chip) : chip_(chip) {}

  // When an instruction whose operands are there at `ready` would be issued.
  double issue_time(const Cost& cost, double ready) const;
  // When a transfer would begin to move data.
  double data_time(const Cost& cost, double ready) const;
  // Issues it; returns when it is complete.
  double issue(const Cost& cost, double ready);
  double free_at(unsigned queue) const { return free_[queue]; }
  // When all are complete.
  double end() const { return end_; }

 private:
  using Ring = std::pair<unsigned, bool>;  // queue, made by a generator
  static Ring ring_of(const Cost& cost) { return {cost.queue, cost.transfer->generator_ns > 0}; }
  double transfer(const Cost& cost, double issued);

  const ChipConfig& chip_;
  std::array<double, TERN_QUEUE_COUNT> free_{};
  std::optional<unsigned> tables_;
  double data_free_ = 0;
  std::array<double, TERN_QUEUE_COUNT> generator_free_{};
  std::map<Ring, std::deque<double>> in_flight_;  // completions, oldest first
  double end_ = 0;
};

}  // namespace tern::nki
