// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/collectives/schedule.h"
#include "sw/kernels/builder/builder_cores.h"
#include "sw/kernels/builder/cores/collective_plan.h"

namespace tern::kernels {

// Operands of a collective, the same on every part: a tile [P, N] in SBUF, whose columns are the
// schedule's chunks, or elements that follow each other in HBM (Tensor::rows_on_partitions of one
// partition). N, or the elements, are a multiple of the chunks. A barrier has data of its own,
// whose contents are lost.
struct CollectiveOperands {
  std::optional<DmaView> data;           // of operations in place
  std::optional<DmaView> input, output;  // of the others
};

struct CollectiveOptions {
  unsigned priority = 0;  // class of service of its transfers: the most urgent
  // Groups that each do it by themselves: the parts of ranks 0, 1, ... All of one size, and every
  // part is in one at most. Empty: all parts are one group.
  std::vector<std::vector<unsigned>> groups;
};

// Collective operations, on the collective cores of several cores.
class CollectiveCalls : public CoreCalls {
 public:
  using CoreCalls::CoreCalls;

  // After join_cores() or join_parts(), written alike by all parts. The engines go on: who uses the
  // operands afterwards waits for its end. Sums have the schedule's order: fp32, bf16 and e4m3fn
  // near the memory, or on chips that do not add there in the DMA engines, from multiples of 64
  // bytes on. The schedule must be verified (sw/collectives/verify.h).
  void collective(const collectives::Schedule& schedule, const CollectiveOperands& operands,
                  const CollectiveOptions& options = {}, SourceLine where = SourceLine::here());
  // For collectives that only the groups' parts write: what all parts write alike before the first
  // of them.
  void reserve_flags(const collectives::Schedule& schedule,
                     const std::vector<std::vector<unsigned>>& groups,
                     SourceLine where = SourceLine::here());

 private:
  class CollectiveWriter;

  CollectiveFlags collective_flags_;
  unsigned collectives_ = 0;  // so far
};

}  // namespace tern::kernels
