// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/faults/fault_state.h"

#include <algorithm>
#include <utility>

#include "systemc/link/link_width.h"

namespace tern::fabric::faults {

FaultState::FaultState(const system::Fabric& fabric, FaultScript script, std::uint64_t seed)
    : fabric_(fabric),
      script_(std::move(script)),
      seed_(seed),
      links_(fabric.links().size()),
      nodes_(fabric.nodes().size()),
      usable_(fabric.links().size(), true),
      observed_(fabric.links().size()),
      happened_(script_.faults.size(), kNever) {
  for (std::uint32_t chip = 0; chip < fabric.chips(); ++chip)
    nodes_[chip].spares = fabric.lanes_of(chip) - fabric.active_lanes_of(chip);
}

std::vector<std::uint32_t> FaultState::begin(std::size_t number, Time now) {
  const Fault& fault = script_.faults[number];
  happened_[number] = now;
  for (const std::uint32_t link : fault.links) {
    LinkState& state = links_[link];
    switch (fault.kind) {
      case Fault::Kind::kLaneLoss:
        lose_lanes(link, fault.lanes);
        break;
      case Fault::Kind::kBitErrors:
        state.bit_error_rate = fault.bit_error_rate;
        break;
      case Fault::Kind::kFlap:
        ++state.flaps;
        ++observed_[link][Observed::kRetrained];
        break;
      default:
        state.dead = true;
        break;
    }
  }
  for (const std::uint32_t node : fault.nodes) {
    if (fault.kind == Fault::Kind::kHotSwap) {
      ++nodes_[node].swaps;
    } else {
      nodes_[node].dead = true;
    }
  }
  refresh();
  return fault.links;
}

std::vector<std::uint32_t> FaultState::end(std::size_t number) {
  const Fault& fault = script_.faults[number];
  std::vector<std::uint32_t> changed = fault.links;
  for (const std::uint32_t link : fault.links) --links_[link].flaps;
  for (const std::uint32_t node : fault.nodes) replace(node, &changed);
  refresh();
  return changed;
}

void FaultState::give_up(std::uint32_t link) {
  links_[link].dead = true;
  refresh();
}

unsigned FaultState::lanes(std::uint32_t link) const {
  return link::width_after(fabric_.links()[link].lanes, links_[link].failed);
}

FaultState::NodeState* FaultState::spares_of(std::uint32_t number) {
  const system::Link& link = fabric_.links()[number];
  const std::uint32_t chip = std::min(link.a, link.b), other = link.other(chip);
  const bool to_rack =
      chip < fabric_.chips() && fabric_.nodes()[other].kind == system::NodeKind::kRackSwitch;
  return to_rack ? &nodes_[chip] : nullptr;
}

void FaultState::lose_lanes(std::uint32_t link, unsigned lanes) {
  LinkState& state = links_[link];
  const unsigned before = this->lanes(link);
  unsigned failed = std::min(lanes, fabric_.links()[link].lanes - state.failed);
  if (NodeState* chip = spares_of(link)) {
    const unsigned spared = std::min(failed, chip->spares);
    chip->spares -= spared;
    state.spared += spared;
    failed -= spared;
    observed_[link][Observed::kSpared] += spared;
  }
  state.failed += failed;
  const unsigned after = this->lanes(link);
  if (after == 0) {
    state.dead = true;
  } else if (after < before) {
    ++observed_[link][Observed::kDegraded];
  }
}

// A new one, with links as on the first day.
void FaultState::replace(std::uint32_t node, std::vector<std::uint32_t>* changed) {
  --nodes_[node].swaps;
  nodes_[node].dead = false;
  for (const std::uint32_t link : fabric_.links_of(node)) {
    LinkState& state = links_[link];
    if (NodeState* chip = spares_of(link)) chip->spares += state.spared;
    const unsigned flaps = state.flaps;  // its end is yet to come
    state = {};
    state.flaps = flaps;
    changed->push_back(link);
  }
}

void FaultState::refresh() {
  bool changed = false;
  for (std::uint32_t n = 0; n < links_.size(); ++n) {
    const system::Link& link = fabric_.links()[n];
    const auto in = [&](std::uint32_t node) {
      return !nodes_[node].dead && nodes_[node].swaps == 0;
    };
    const bool usable = !links_[n].dead && in(link.a) && in(link.b);
    if (usable == usable_[n]) continue;
    if (!usable) ++observed_[n][Observed::kLinkDown];
    usable_[n] = usable;
    changed = true;
  }
  epoch_ += changed ? 1 : 0;
}

}  // namespace tern::fabric::faults
