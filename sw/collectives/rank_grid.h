// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tern::collectives {

// Ranks that divide work in up to three ways at once: the data, the sequence of layers (stages of a
// pipeline), and each layer. Rank r has part r % tensor of stage (r / tensor) % pipeline.
struct RankGrid {
  unsigned data = 1, pipeline = 1, tensor = 1;

  unsigned ranks() const { return data * pipeline * tensor; }
  // How many ranks have the same part of the data; their numbers are consecutive.
  unsigned sharers() const { return pipeline * tensor; }
  unsigned data_part_of(unsigned rank) const { return rank / sharers(); }
  unsigned stage_of(unsigned rank) const { return rank / tensor % pipeline; }
  unsigned layer_part_of(unsigned rank) const { return rank % tensor; }

  using Groups = std::vector<std::vector<unsigned>>;
  Groups along_data() const;    // those with the same part of the same stage
  Groups along_tensor() const;  // those with the same data and stage
  // A rank of the stage and its counterpart in the next one.
  Groups between_stages(unsigned stage) const;
};

}  // namespace tern::collectives
