// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tern::collectives {

// Ranks that divide work in up to four ways at once: the samples of a batch, each sample (parts of
// its sequence), the order of the layers (stages of a pipeline), and each layer. Rank r has part
// r % tensor of stage (r / tensor) % pipeline, and of the batch what the rest of its number says.
struct RankGrid {
  unsigned data = 1, sequence = 1, pipeline = 1, tensor = 1;
  // How many parts of the batch, next to each other, share out the experts of a layer.
  unsigned expert = 1;

  unsigned ranks() const { return batch_parts() * sharers(); }
  // How many ranks have the same part of the batch; their numbers are consecutive.
  unsigned sharers() const { return pipeline * tensor; }
  // Parts of the batch: of some samples some of their sequence. Those of the same samples follow
  // each other.
  unsigned batch_parts() const { return data * sequence; }
  unsigned batch_part_of(unsigned rank) const { return rank / sharers(); }
  unsigned data_part_of(unsigned rank) const { return batch_part_of(rank) / sequence; }
  unsigned sequence_part_of(unsigned rank) const { return batch_part_of(rank) % sequence; }
  unsigned expert_part_of(unsigned rank) const { return batch_part_of(rank) % expert; }
  unsigned stage_of(unsigned rank) const { return rank / tensor % pipeline; }
  unsigned layer_part_of(unsigned rank) const { return rank % tensor; }

  using Groups = std::vector<std::vector<unsigned>>;
  Groups along_batch() const;        // those with the same part of the same stage
  Groups along_sequence() const;     // of these those with the same samples
  Groups along_expert() const;       // those that have all experts together
  Groups along_same_expert() const;  // those with the same experts
  Groups along_tensor() const;       // those with the same part of the batch and stage
  // A rank of the stage and its counterpart in the next one.
  Groups between_stages(unsigned stage) const;
};

}  // namespace tern::collectives
