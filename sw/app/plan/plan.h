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
// own. Ranks are numbered chip by chip, core by core.
struct Plan {
  system::SystemConfig system;
  std::vector<std::uint32_t> chips;  // by their numbers in the system
  unsigned cores = 1;                // of each chip
  unsigned data = 1;                 // parts of the batch: all ranks
  std::string level = "packet";      // of the network between the chips
  std::string algorithm = "table";   // of the sums
  std::string place, sum_place;      // "FILE:LINE: key 'plan'", for messages

  unsigned ranks() const { return static_cast<unsigned>(chips.size()) * cores; }
  // The verified AllReduce of buffers of that many bytes among all ranks, which a program's flags
  // suffice for; null for one rank. Throws UserError with the place.
  std::shared_ptr<const collectives::Schedule> all_reduce(std::uint64_t bytes) const;
  std::string describe() const;
};

// Throws UserError.
Plan load_plan(const config::YamlValue& value);

}  // namespace tern::app
