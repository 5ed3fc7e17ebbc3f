// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/packet/repaired_routes.h"

#include <algorithm>

#include "systemc/fabric/packet/torus_routes.h"

namespace tern::fabric::packet {

namespace {
// Virtual channels that detours may use beyond those of the shortest ways.
constexpr unsigned kDetourVcs = 2;
}  // namespace

RepairedRoutes::RepairedRoutes(const faults::FaultState& state)
    : state_(state),
      sound_(routes_of(state.fabric())),
      torus_(only_torus(state.fabric())),
      rule_vcs_(torus_ ? sound_->vcs()
                       : std::min(sound_->vcs() + kDetourVcs, RisingRoutes::kMostVcs)) {}

std::optional<std::uint32_t> RepairedRoutes::broken(const std::vector<Hop>& hops) const {
  for (const Hop& hop : hops) {
    if (!state_.usable(hop.channel / 2)) return hop.channel / 2;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> RepairedRoutes::obstacle(const Transfer& transfer) {
  std::vector<Hop> hops;
  sound_->path(transfer, &hops);
  return broken(hops);
}

void RepairedRoutes::refresh() {
  if (up_down_ != nullptr && epoch_ == state_.epoch()) return;
  epoch_ = state_.epoch();
  std::vector<bool> usable(state_.fabric().links().size());
  for (std::uint32_t link = 0; link < usable.size(); ++link) usable[link] = state_.usable(link);
  if (!torus_) detours_ = std::make_unique<RisingRoutes>(state_.fabric(), usable, rule_vcs_);
  up_down_ =
      std::make_unique<UpDownRoutes>(state_.fabric(), usable, static_cast<std::uint8_t>(rule_vcs_));
}

bool RepairedRoutes::path(const Transfer& transfer, std::vector<Hop>* hops) {
  hops->clear();
  if (!sound_->path(transfer, hops)) return false;
  if (!broken(*hops)) return true;
  refresh();
  hops->clear();
  if (detours_ != nullptr && detours_->path(transfer, hops)) return true;
  hops->clear();
  return up_down_->path(transfer, hops);
}

}  // namespace tern::fabric::packet
