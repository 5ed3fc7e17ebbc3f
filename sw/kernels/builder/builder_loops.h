// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "sw/kernels/builder/builder_mx.h"
#include "sw/kernels/builder/loops/loop_fold.h"

namespace tern::kernels {

// Hardware loops.
class LoopCalls : public MxCalls {
 public:
  using MxCalls::MxCalls;

  // The instructions that `body` writes, called for 0 .. count - 1, as a hardware loop on each
  // queue they use. Iterations must be identical except for addresses that advance by equal steps,
  // taken one by one or in groups of up to eight; any other difference is an error with its line.
  // Transfers may have any addresses. Loops do not nest.
  void loop(unsigned count, const std::function<void(unsigned iteration)>& body,
            SourceLine where = SourceLine::here());

  // What is written between these two calls is repeated until `a` CONDITION (b + value), registers
  // and TERN_BRANCH_COND_*; it is tested before each time. After each time `step` is added to
  // `counter`, if there is one. All queues take part and meet after each time, so no time overlaps
  // the next. Repetitions nest. Transfers in them have their descriptors by a generator.
  void begin_repeat(unsigned condition, unsigned a, unsigned b, std::uint32_t value,
                    SourceLine where = SourceLine::here());
  void end_repeat(unsigned counter, std::int32_t step, SourceLine where = SourceLine::here());

 protected:
  friend class LoopWriter;

  void write_iteration(const LoopIteration& iteration);

  // Values of the semaphores of transfers in loops, so far.
  std::array<std::array<std::uint32_t, kLoopSemaphores>, 2> loop_transfers_{};
};

}  // namespace tern::kernels
