// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sw/collectives/schedule.h"

namespace tern::collectives {

// What the ranks of a grid do together: verified schedules, null where only one rank would take
// part.
struct RankSchedules {
  // AllReduces: of gradients among the ranks with the same part of the model, of sums within a
  // layer among those with the same part of the batch.
  std::shared_ptr<const Schedule> gradients, activations;
  // A permute of two ranks: from a stage to the next one, or back.
  std::shared_ptr<const Schedule> handover;
  // Of an optimiser whose state is divided: a ReduceScatter and an AllGather among the ranks that
  // sum gradients. Otherwise null.
  std::shared_ptr<const Schedule> scatter, gather;
  // Of windows in parts: an AllGather of keys and values among the ranks with the same windows, and
  // a ReduceScatter of their gradients.
  std::shared_ptr<const Schedule> window_gather, window_scatter;
  // Of experts that ranks divide: an AllToAll among those that have all of them together, and an
  // AllReduce of gradients among those with the same ones.
  std::shared_ptr<const Schedule> expert_exchange, expert_gradients;
};

}  // namespace tern::collectives
