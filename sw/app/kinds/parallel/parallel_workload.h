// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/kinds/kind.h"
#include "sw/kernels/parallel/parallel_mlp.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/faults/fault_script.h"

namespace tern::app {

// A feed-forward block divided among chips of a system.
struct ParallelWorkload : Workload {
  system::SystemConfig system;
  std::vector<std::uint32_t> chips;  // of the parts, by their numbers in the system
  std::string function = "gelu";
  std::string level = "packet";  // of the network between the chips
  kernels::ParallelMlpSpec spec;
  std::optional<fabric::faults::FaultScript> faults;  // of the links
  std::string faults_place;                           // of the key, for messages

  std::string describe() const override;
};

ParallelWorkload load_parallel(const config::YamlMap& top, std::uint64_t seed);

}  // namespace tern::app
