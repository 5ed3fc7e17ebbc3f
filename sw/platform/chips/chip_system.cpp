// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/chips/chip_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/base/user_error.h"

namespace tern {

ChipSystem::ChipSystem(const system::Fabric& fabric, const std::vector<std::uint32_t>& numbers,
                       const ChipConfig& config, std::unique_ptr<fabric::Transport> transport,
                       const ChipOptions& options, const system::Ranks* ranks)
    : fabric_(fabric),
      numbers_(numbers),
      config_(config),
      ranks_(ranks == nullptr ? 1 : ranks->size()),
      network_("fabric", fabric, std::move(transport), ranks == nullptr ? 0 : ranks->rank()),
      chips_(numbers.size()) {
  if (ranks_ > chips())
    throw UserError(
        fmt::format("{} processes for {} chips: at most one for each", ranks_, chips()));
  for (unsigned n = 0; n < chips(); ++n) {
    const std::uint32_t number = numbers[n];
    if (ranks != nullptr && rank_of(n) != ranks->rank()) {
      network_.attach_elsewhere(number);
      continue;
    }
    ChipOptions of_chip = options;
    of_chip.links_gb_per_s = fabric.gb_per_s(fabric.active_lanes_of(number));
    chips_[n] = std::make_unique<HostedChip>(fmt::format("chip{}", number), config, of_chip);
    if (LinkPort* port = chips_[n]->chip().links()) network_.attach(number, *port);
  }
}

bool ChipSystem::at_rest() const {
  return network_.in_flight() == 0 &&
         std::all_of(chips_.begin(), chips_.end(),
                     [](const auto& chip) { return chip == nullptr || chip->chip().waits(); });
}

std::uint64_t ChipSystem::address(unsigned n, std::uint64_t own) const {
  return chip_base(system::place_of_chip(fabric_, numbers_.at(n))) + own;
}

std::uint64_t ChipSystem::window(unsigned n, unsigned core) const {
  return address(n, TERN_CORE_BASE + core * TERN_CORE_STRIDE);
}

}  // namespace tern
