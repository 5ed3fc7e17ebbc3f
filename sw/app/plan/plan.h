// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/collectives/schedule.h"
#include "sw/config/yaml_reader.h"
#include "sw/system/system_config.h"

namespace tern::app {

// How a training is divided among chips (docs/workloads.md, "Plans"): a section, or a file of its
// own. Ranks are numbered chip by chip, core by core. Those that divide the model follow each
// other.
struct Plan {
  system::SystemConfig system;
  std::vector<std::uint32_t> chips;  // by their numbers in the system
  unsigned cores = 1;                // of each chip
  unsigned data = 1;                 // parts of the batch; 0: to be chosen
  unsigned tensor = 1;               // and of the model's layers; data * tensor: all ranks
  std::string level = "packet";      // of the network between the chips
  struct Algorithm {
    std::string name = "table";
    std::string place;  // "FILE:LINE: key 'plan.sum'", for messages
  };
  Algorithm sum, tensor_sum;  // of gradients, and within layers
  std::string place;

  unsigned ranks() const { return static_cast<unsigned>(chips.size()) * cores; }
  // Verified AllReduces: of gradients among the ranks with the same part of the model, of
  // activations among those with the same part of the batch; null where that is one rank. Sizes
  // choose the algorithm; its chunks divide a row of activations. The flags of a program suffice
  // for both. Throws UserError with the place.
  struct Sums {
    std::shared_ptr<const collectives::Schedule> gradients, activations;
  };
  Sums sums(std::uint64_t gradient_bytes, std::uint64_t activation_bytes,
            std::uint64_t row_elements) const;
  std::string describe() const;
};

// Throws UserError.
Plan load_plan(const config::YamlValue& value);

}  // namespace tern::app
