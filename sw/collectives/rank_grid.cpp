// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/rank_grid.h"

namespace tern::collectives {

RankGrid::Groups RankGrid::along_batch() const {
  Groups groups(sharers());
  for (unsigned rank = 0; rank < ranks(); ++rank) groups[rank % sharers()].push_back(rank);
  return groups;
}

RankGrid::Groups RankGrid::along_sequence() const {
  Groups groups(data * sharers());
  for (unsigned rank = 0; rank < ranks(); ++rank)
    groups[data_part_of(rank) * sharers() + rank % sharers()].push_back(rank);
  return groups;
}

RankGrid::Groups RankGrid::along_expert() const {
  Groups groups(batch_parts() / expert * sharers());
  for (unsigned rank = 0; rank < ranks(); ++rank)
    groups[batch_part_of(rank) / expert * sharers() + rank % sharers()].push_back(rank);
  return groups;
}

RankGrid::Groups RankGrid::along_same_expert() const {
  Groups groups(expert * sharers());
  for (unsigned rank = 0; rank < ranks(); ++rank)
    groups[expert_part_of(rank) * sharers() + rank % sharers()].push_back(rank);
  return groups;
}

RankGrid::Groups RankGrid::along_tensor() const {
  Groups groups(batch_parts() * pipeline);
  for (unsigned rank = 0; rank < ranks(); ++rank) groups[rank / tensor].push_back(rank);
  return groups;
}

RankGrid::Groups RankGrid::between_stages(unsigned stage) const {
  Groups groups;
  for (unsigned rank = 0; rank < ranks(); ++rank) {
    if (stage_of(rank) == stage) groups.push_back({rank, rank + tensor});
  }
  return groups;
}

}  // namespace tern::collectives
