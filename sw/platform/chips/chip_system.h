// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/platform/hosted_chip.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/transport.h"
#include "systemc/system/chip_network.h"

namespace tern {

// Chips of a system in one simulation, each with its host, and the network between them. Simulation
// (systemc/chip/simulation.h) must exist before it.
class ChipSystem {
 public:
  // numbers: the chips of the system that there are; the others are not populated.
  ChipSystem(const system::Fabric& fabric, const std::vector<std::uint32_t>& numbers,
             const ChipConfig& config, std::unique_ptr<fabric::Transport> transport,
             const ChipOptions& options = {});

  const system::Fabric& fabric() const { return fabric_; }
  unsigned chips() const { return static_cast<unsigned>(chips_.size()); }
  // The n-th of them.
  HostedChip& chip(unsigned n) { return *chips_.at(n); }
  const system::ChipNetwork& network() const { return network_; }
  // The window of a core of the n-th as all chips see it.
  std::uint64_t window(unsigned n, unsigned core) const;

 private:
  const system::Fabric& fabric_;
  const std::vector<std::uint32_t> numbers_;
  system::ChipNetwork network_;
  std::vector<std::unique_ptr<HostedChip>> chips_;
};

}  // namespace tern
