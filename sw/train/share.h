// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sw/collectives/rank_grid.h"
#include "sw/collectives/schedule.h"

namespace tern::train {

// A rank's part of a training that several do together: some of the batch's windows and of each a
// part, some of the blocks, a part of each of their layers.
struct Share : collectives::RankGrid {
  unsigned rank = 0;
  unsigned micro_batches = 1;  // in which a step takes the windows of a rank
  // Verified AllReduces: of gradients among the ranks with the same part of the model, of sums
  // within a layer among those with the same part of the batch. Of one rank null.
  std::shared_ptr<const collectives::Schedule> gradients, activations;
  // Of windows in parts: an AllGather of keys and values among the ranks with the same windows, and
  // a ReduceScatter of their gradients. Otherwise null.
  std::shared_ptr<const collectives::Schedule> window_gather, window_scatter;
  // Of experts that ranks divide: an AllToAll among those that have all of them together, and an
  // AllReduce of gradients among those with the same ones. Of one rank null.
  std::shared_ptr<const collectives::Schedule> expert_exchange, expert_gradients;
  // Of an optimiser whose state is divided: a ReduceScatter and an AllGather among the ranks that
  // sum gradients. Otherwise null.
  std::shared_ptr<const collectives::Schedule> scatter, gather;
  // A permute of two ranks: from a stage to the next one, or back. Of one stage null.
  std::shared_ptr<const collectives::Schedule> handover;
  // What a rank exchanges: all; in a pipeline a row of each matrix, which says that it is there;
  // nothing. The others are for times only: of bubbles, and of a rank's own work.
  enum class Exchange : std::uint8_t { kAll, kHandshakes, kNone };
  Exchange exchange = Exchange::kAll;

  bool sums() const { return exchange == Exchange::kAll; }
  // Which part of its windows the rank has.
  unsigned window_part() const { return sequence_part_of(rank); }
  unsigned expert_part() const { return expert_part_of(rank); }
  unsigned stage() const { return stage_of(rank); }
  bool first_stage() const { return stage() == 0; }
  bool last_stage() const { return stage() + 1 == pipeline; }
  // Losses and logits are this rank's, for all with the same part of the batch.
  bool reports() const { return last_stage() && layer_part_of(rank) == 0; }
};

}  // namespace tern::train
