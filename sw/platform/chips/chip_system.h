// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/platform/hosted_chip.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/transport.h"
#include "systemc/system/chip_network.h"
#include "systemc/system/ranks.h"

namespace tern {

// Chips of a system in one simulation, each with its host, and the network between them. Simulation
// (systemc/chip/simulation.h) must exist before it.
class ChipSystem {
 public:
  // numbers: the chips of the system that there are; the others are not populated. ranks: the
  // processes that have some of them each, neighbours together; null: this one has all.
  ChipSystem(const system::Fabric& fabric, const std::vector<std::uint32_t>& numbers,
             const ChipConfig& config, std::unique_ptr<fabric::Transport> transport,
             const ChipOptions& options = {}, const system::Ranks* ranks = nullptr);

  const system::Fabric& fabric() const { return fabric_; }
  unsigned chips() const { return static_cast<unsigned>(chips_.size()); }
  // Whether the n-th of them is in this process; the process that it is in.
  bool here(unsigned n) const { return chips_.at(n) != nullptr; }
  unsigned rank_of(unsigned n) const { return n * ranks_ / chips(); }
  // Of the n-th, in the system.
  const std::string& name(unsigned n) const { return fabric_.nodes()[numbers_.at(n)].name; }
  // The n-th of them, which is here.
  HostedChip& chip(unsigned n) { return *chips_.at(n); }
  // Nothing is under way on the chips that are here, nor from one of them to another chip.
  bool at_rest() const;
  const ChipConfig& config() const { return config_; }
  const system::ChipNetwork& network() const { return network_; }
  system::ChipNetwork& network() { return network_; }
  // An address of the n-th as all chips see it.
  std::uint64_t address(unsigned n, std::uint64_t own) const;
  // The window of a core, likewise.
  std::uint64_t window(unsigned n, unsigned core) const;

 private:
  const system::Fabric& fabric_;
  const std::vector<std::uint32_t> numbers_;
  const ChipConfig config_;
  const unsigned ranks_;
  system::ChipNetwork network_;
  std::vector<std::unique_ptr<HostedChip>> chips_;
};

}  // namespace tern
