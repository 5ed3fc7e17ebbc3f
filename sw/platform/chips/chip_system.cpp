// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/chips/chip_system.h"

#include <fmt/format.h>

namespace tern {

ChipSystem::ChipSystem(const system::Fabric& fabric, const std::vector<std::uint32_t>& numbers,
                       const ChipConfig& config, std::unique_ptr<fabric::Transport> transport,
                       const ChipOptions& options)
    : fabric_(fabric), numbers_(numbers), network_("fabric", fabric, std::move(transport)) {
  for (const std::uint32_t number : numbers) {
    ChipOptions of_chip = options;
    of_chip.links_gb_per_s = static_cast<double>(fabric.gb_per_s(fabric.active_lanes_of(number)));
    chips_.push_back(std::make_unique<HostedChip>(fmt::format("chip{}", number), config, of_chip));
    if (LinkPort* port = chips_.back()->chip().links()) network_.attach(number, *port);
  }
}

std::uint64_t ChipSystem::window(unsigned n, unsigned core) const {
  return chip_base(system::place_of_chip(fabric_, numbers_.at(n))) + TERN_CORE_BASE +
         core * TERN_CORE_STRIDE;
}

}  // namespace tern
