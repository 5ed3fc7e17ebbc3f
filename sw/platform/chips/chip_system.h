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
  // chips: how many of the system's there are, 0 .. chips - 1; the others are not populated.
  // UserError: the system has fewer.
  ChipSystem(const system::Fabric& fabric, unsigned chips, const ChipConfig& config,
             std::unique_ptr<fabric::Transport> transport, const ChipOptions& options = {});

  unsigned chips() const { return static_cast<unsigned>(chips_.size()); }
  HostedChip& chip(unsigned n) { return *chips_.at(n); }
  const system::ChipNetwork& network() const { return network_; }
  // The window of a core as all chips see it.
  std::uint64_t window(unsigned chip, unsigned core) const;

 private:
  const system::Fabric& fabric_;
  system::ChipNetwork network_;
  std::vector<std::unique_ptr<HostedChip>> chips_;
};

}  // namespace tern
