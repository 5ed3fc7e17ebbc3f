// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/collectives/rank_grid.h"
#include "sw/collectives/rank_schedules.h"

namespace tern::train {

// A rank's part of a training that several do together: some of the batch's windows and of each a
// part, some of the blocks, a part of each of their layers.
struct Share : collectives::RankGrid, collectives::RankSchedules {
  unsigned rank = 0;
  unsigned micro_batches = 1;  // in which a step takes the windows of a rank
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
