// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"
#include "systemc/engines/tensor/tensor_geometry.h"
#include "systemc/engines/tensor/tensor_ramp.h"

namespace tern {

// D: cycles from the issue of a MultiplyMoving or Transpose to its first write to PSUM.
std::uint64_t write_delay(const TensorShape& shape, const TensorCommand& command);

// When commands issue and retire: the recurrences of rtl/tensor/README.md, "Timing". Commands come
// in program order; cycle 0 is never an issue cycle, because a push precedes every issue.
class TensorTimeline {
 public:
  explicit TensorTimeline(const TensorShape& shape);

  struct Slot {
    std::uint64_t issue = 0;
    std::uint64_t retire = 0;
    std::uint64_t weight_stalls = 0;  // cycles in which a multiply waited for its weights only
  };
  // A command that the engine takes, pushed in cycle `now`.
  Slot accepted(std::uint64_t now, const TensorCommand& command);
  Slot rejected(std::uint64_t now);
  // From this cycle on a command waits for nothing that came before it.
  std::uint64_t settled() const;

 private:
  using Cycle = std::uint64_t;
  Slot load(Cycle earliest, const TensorCommand& command);
  Slot multiply(Cycle earliest, const TensorCommand& command);
  // Earliest issue at which the writes of the command follow those before it; and its entry.
  Cycle after_windows(Cycle earliest, const TensorCommand& command);
  void enter_window(Cycle issue, const TensorCommand& command);
  template <typename Visit>
  void each_window(const TensorCommand& command, Visit visit);
  Slot finish(Cycle issue, Cycle complete);

  TensorShape shape_;
  TensorRamp ramp_;
  Cycle next_issue_ = 0;
  Cycle next_retire_ = 0;
  Cycle load_free_ = 0;    // end of the previous load's groups
  Cycle shadow_free_ = 0;  // a Transpose has drained
  // Array X must follow array A with a delay, so that no partition is read by both.
  Cycle mx_load_after_ = 0, mx_move_after_ = 0;
  Cycle mx_ports_free_ = 0;             // quad mode leaves the ports of the upper row groups
  std::array<Cycle, 16> cell_free_{};   // the previous multiply's interval has passed
  std::array<Cycle, 16> cell_ready_{};  // weights have arrived
  std::array<Cycle, TensorCells::kGrid> mx_ready_{};            // in row groups of array X
  std::vector<std::array<Cycle, TensorCells::kGrid>> windows_;  // end of writes, [bank][columns]
  Cycle random_free_ = 0;                                       // end of stochastic writes
};

}  // namespace tern
