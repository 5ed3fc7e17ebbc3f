// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sw/collectives/schedule.h"

namespace tern::train {

// A rank's part of a training that several do together. The batch is divided among groups of
// ranks, the model among the ranks of a group, which follow each other: rank r has part r % tensor
// of the model and part r / tensor of the batch.
struct Share {
  unsigned rank = 0, ranks = 1;
  unsigned tensor = 1;  // ranks of a group: a divisor of all
  // Verified AllReduces: of gradients among the ranks with the same part of the model, of sums
  // within a layer among those with the same part of the batch. Of one rank null.
  std::shared_ptr<const collectives::Schedule> gradients, activations;
  // Leaves out every sum over ranks: for the time of a rank's own work.
  bool silent = false;

  unsigned data() const { return ranks / tensor; }
  unsigned model_part() const { return rank % tensor; }
  // Ranks that sum gradients, or activations, together.
  std::vector<std::vector<unsigned>> gradient_groups() const;
  std::vector<std::vector<unsigned>> activation_groups() const;
};

}  // namespace tern::train
