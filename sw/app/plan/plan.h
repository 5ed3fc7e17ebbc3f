// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/rank_grid.h"
#include "sw/collectives/rank_schedules.h"
#include "sw/collectives/schedule.h"
#include "sw/config/yaml_reader.h"
#include "sw/system/system_config.h"

namespace tern::app {

// Key `host_checkpoints`.
struct HostCheckpointsKey {
  unsigned replicas = 0;  // of each host's part, on another host
  std::string place;      // "FILE:LINE: key 'plan.host_checkpoints'"
};

// What the planner chooses where a plan leaves it open.
struct Division {
  // Parts of the batch, of each of its samples, stages of the model, parts of its layers, and of
  // the batch those that share out experts; 0: to be chosen.
  collectives::RankGrid grid;
  unsigned micro_batches = 0;       // of a rank's windows; 0: to be chosen
  bool optimiser_sharding = false;  // parts of the batch divide the moments
};

// How a training is divided among chips (docs/workloads.md, "Plans"): a section, or a file of its
// own. Ranks are numbered chip by chip, core by core. Those that divide the model follow each
// other.
struct Plan : Division {
  system::SystemConfig system;
  std::vector<std::uint32_t> chips;                    // by their numbers in the system
  unsigned cores = 1;                                  // of each chip
  bool sharding_open = false;                          // optimiser_sharding is to be chosen
  std::string level = "packet";                        // of the network between the chips
  std::optional<HostCheckpointsKey> host_checkpoints;  // none: the training waits for checkpoints
  struct Algorithm {
    std::string name = "table";
    std::string place;  // "FILE:LINE: key 'plan.sum'", for messages
  };
  // For the report, what the table chose: "gradients by ring, as for 4 of trn2-nl16".
  using Choices = std::vector<std::string>;
  // Of gradients, within layers, of keys and values with their gradients, and of experts' inputs.
  Algorithm sum, tensor_sum, sequence_sum, expert_exchange;
  std::string place;

  bool open() const { return grid.ranks() == 0 || grid.expert == 0 || sharding_open; }
  unsigned ranks() const { return static_cast<unsigned>(chips.size()) * cores; }
  // The flags of a program suffice for all schedules. Sizes choose the algorithm; its chunks divide
  // a row of activations, and keys and values of the smallest number of samples, or the slots of an
  // expert.
  struct Sizes {
    std::uint64_t bucket_bytes = 0, activation_bytes = 0, row_elements = 0;
    std::uint64_t window_bytes = 0, window_elements = 0;  // elements: of 4 bytes
    std::uint64_t expert_bytes = 0, expert_elements = 0;
  };
  // Adds to `choices` unless it is null. Throws UserError with the place.
  collectives::RankSchedules sums(const Sizes& sizes, Choices* choices = nullptr) const;
  // What a program needs that has one schedule, among groups of ranks.
  struct Need {
    const char* what;  // for the report
    collectives::Operation operation;
    const Algorithm& algorithm;
    std::uint64_t bytes;
    std::uint64_t elements;  // that its chunks divide; 0: any number of chunks
    collectives::RankGrid::Groups groups;
  };
  // Null if each group is one rank. The same errors.
  std::shared_ptr<const collectives::Schedule> schedule(const Need& need,
                                                        Choices* choices = nullptr) const;
  // From a rank of a stage to its counterpart in the next one; null: there is one stage.
  std::shared_ptr<const collectives::Schedule> handover() const;
  std::string describe() const;
};

// Throws UserError.
Plan load_plan(const config::YamlValue& value);

}  // namespace tern::app
