// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/chips/chip_system.h"

#include <fmt/format.h>

#include "sw/base/user_error.h"

namespace tern {

ChipSystem::ChipSystem(const system::Fabric& fabric, unsigned chips, const ChipConfig& config,
                       std::unique_ptr<fabric::Transport> transport, const ChipOptions& options)
    : fabric_(fabric), network_("fabric", fabric, std::move(transport)) {
  if (chips < 1 || chips > fabric.chips()) {
    throw UserError(fmt::format("{}: expected from 1 to {} chips, got {}", fabric.config().source,
                                fabric.chips(), chips));
  }
  for (unsigned n = 0; n < chips; ++n) {
    ChipOptions of_chip = options;
    of_chip.links_gb_per_s = static_cast<double>(fabric.gb_per_s(fabric.active_lanes_of(n)));
    chips_.push_back(std::make_unique<HostedChip>(fmt::format("chip{}", n), config, of_chip));
    if (LinkPort* port = chips_.back()->chip().links()) network_.attach(n, *port);
  }
}

std::uint64_t ChipSystem::window(unsigned chip, unsigned core) const {
  return chip_base(system::place_of_chip(fabric_, chip)) + TERN_CORE_BASE + core * TERN_CORE_STRIDE;
}

}  // namespace tern
