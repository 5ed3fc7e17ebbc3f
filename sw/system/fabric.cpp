// SPDX-License-Identifier: Apache-2.0
#include "sw/system/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/base/user_error.h"

namespace tern::system {

Fabric::Fabric(SystemConfig config) : config_(std::move(config)) {
  add_chips();
  if (config_.torus) add_torus(*config_.torus);
  if (config_.rack_switches) add_rack_switches(*config_.rack_switches);
  add_trays();
  if (config_.cross_lanes > 0) add_cross();
  add_cables();
  check_lanes();
  check_reachable();
}

std::uint32_t Fabric::chip(unsigned group, unsigned tray, unsigned place) const {
  return (group * config_.trays + tray) * config_.chips_per_tray + place;
}

void Fabric::connect(std::uint32_t a, std::uint32_t b, unsigned lanes) {
  const Node &x = nodes_[a], &y = nodes_[b];
  const bool same_group = x.group == y.group;
  const bool rack_switch = x.kind == NodeKind::kRackSwitch || y.kind == NodeKind::kRackSwitch;
  const Medium medium = !same_group                        ? Medium::kAec
                        : x.tray == y.tray && !rack_switch ? Medium::kPcb
                                                           : Medium::kBackplane;
  const auto number = static_cast<std::uint32_t>(links_.size());
  links_.push_back({a, b, lanes, medium});
  links_of_[a].push_back(number);
  links_of_[b].push_back(number);
}

void Fabric::add_chips() {
  for (unsigned g = 0; g < config_.groups; ++g) {
    for (unsigned t = 0; t < config_.trays; ++t) {
      for (unsigned p = 0; p < config_.chips_per_tray; ++p) {
        const unsigned planes = config_.rack_switches ? config_.rack_switches->planes : 1;
        nodes_.push_back({NodeKind::kChip, g, t, p, p * planes / config_.chips_per_tray,
                          fmt::format("{}{}.tray{}.chip{}", config_.group, g, t, p)});
      }
    }
  }
  links_of_.resize(nodes_.size());
}

// An axis of two points has one link, an axis of one none.
void Fabric::add_torus(const Torus& torus) {
  unsigned stride = 1;
  for (std::size_t axis = 0; axis < torus.size.size(); ++axis) {
    const unsigned size = torus.size[axis];
    for (unsigned n = 0; n < chips(); ++n) {
      const unsigned at = n / stride % size;
      const unsigned next = (at + 1) % size;
      if (size == 1 || (size == 2 && next == 0)) continue;
      connect(n, n - at * stride + next * stride, torus.lanes[axis]);
    }
    stride *= size;
  }
}

void Fabric::add_rack_switches(const RackSwitches& s) {
  for (unsigned g = 0; g < config_.groups; ++g) {
    for (unsigned plane = 0; plane < s.planes; ++plane) {
      for (unsigned n = 0; n < s.switches; ++n) {
        const auto number = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({NodeKind::kRackSwitch, g, 0, n, plane,
                          fmt::format("{}{}.plane{}.switch{}", config_.group, g, plane, n)});
        links_of_.emplace_back();
        for (unsigned t = 0; t < config_.trays; ++t) {
          for (unsigned p = 0; p < config_.chips_per_tray; ++p) {
            const std::uint32_t from = chip(g, t, p);
            if (nodes_[from].plane == plane) connect(from, number, s.link_lanes);
          }
        }
      }
    }
  }
}

void Fabric::add_trays() {
  for (unsigned g = 0; g < config_.groups; ++g) {
    for (unsigned t = 0; t < config_.trays; ++t) {
      for (unsigned p = 0; config_.tray_lanes > 0 && p < config_.chips_per_tray; ++p) {
        for (unsigned q = p + 1; q < config_.chips_per_tray; ++q)
          connect(chip(g, t, p), chip(g, t, q), config_.tray_lanes);
      }
      for (unsigned n = 0; config_.tray_switches && n < config_.tray_switches->switches; ++n) {
        const auto number = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({NodeKind::kTraySwitch, g, t, n, 0,
                          fmt::format("{}{}.tray{}.switch{}", config_.group, g, t, n)});
        links_of_.emplace_back();
        for (unsigned p = 0; p < config_.chips_per_tray; ++p)
          connect(chip(g, t, p), number, config_.tray_switches->link_lanes);
      }
    }
  }
}

// Groups in a ring; two are a pair.
void Fabric::add_cross() {
  const unsigned links = config_.groups == 2 ? 1 : config_.groups;
  for (unsigned g = 0; config_.groups > 1 && g < links; ++g) {
    for (unsigned n = 0; n < config_.trays * config_.chips_per_tray; ++n)
      connect(chip(g, 0, n), chip((g + 1) % config_.groups, 0, n), config_.cross_lanes);
  }
}

void Fabric::add_cables() {
  for (const Cable& cable : config_.cables) {
    const auto end = [&](const std::string& name) {
      const auto found = find(name);
      if (!found) throw UserError(fmt::format("{}: no chip or switch '{}'", cable.source, name));
      return *found;
    };
    const std::uint32_t a = end(cable.from), b = end(cable.to);
    if (a == b) throw UserError(fmt::format("{}: from '{}' to itself", cable.source, cable.from));
    connect(a, b, cable.lanes);
  }
}

std::optional<std::uint32_t> Fabric::find(const std::string& name) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const Node& node) { return node.name == name; });
  if (found == nodes_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - nodes_.begin());
}

unsigned Fabric::lanes_of(std::uint32_t node) const {
  unsigned lanes = 0;
  for (const std::uint32_t link : links_of_[node]) lanes += links_[link].lanes;
  return lanes;
}

unsigned Fabric::lanes_of(std::uint32_t node, Medium medium) const {
  unsigned lanes = 0;
  for (const std::uint32_t link : links_of_[node]) {
    if (links_[link].medium == medium) lanes += links_[link].lanes;
  }
  return lanes;
}

unsigned Fabric::active_lanes_of(std::uint32_t chip) const {
  const unsigned all = lanes_of(chip);
  if (!config_.rack_switches) return all;
  const RackSwitches& s = *config_.rack_switches;
  return all - (s.switches * s.link_lanes - s.active_lanes);
}

unsigned Fabric::count(NodeKind kind) const {
  return static_cast<unsigned>(std::count_if(
      nodes_.begin(), nodes_.end(), [kind](const Node& node) { return node.kind == kind; }));
}

std::uint64_t Fabric::gb_per_s(unsigned lanes) const {
  return static_cast<std::uint64_t>(std::llround(lanes * config_.lane_gb_per_s));
}

void Fabric::check_lanes() const {
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    const unsigned lanes = lanes_of(n);
    const NodeKind kind = nodes_[n].kind;
    const auto [most, source] =
        kind == NodeKind::kChip ? std::pair(config_.chip_lanes, config_.chip_lanes_source)
        : kind == NodeKind::kTraySwitch
            ? std::pair(config_.tray_switches->lanes, config_.tray_switches->source)
            : std::pair(config_.rack_switches->lanes, config_.rack_switches->source);
    if (lanes > most)
      throw UserError(fmt::format("{}: {} has {} lanes, its links take {}", source, nodes_[n].name,
                                  most, lanes));
  }
}

void Fabric::check_reachable() const {
  std::vector<bool> seen(nodes_.size());
  std::vector<std::uint32_t> todo = {0};
  seen[0] = true;
  while (!todo.empty()) {
    const std::uint32_t at = todo.back();
    todo.pop_back();
    for (const std::uint32_t link : links_of_[at]) {
      const std::uint32_t next = links_[link].other(at);
      if (seen[next]) continue;
      seen[next] = true;
      todo.push_back(next);
    }
  }
  for (unsigned n = 0; n < chips(); ++n) {
    if (!seen[n])
      throw UserError(
          fmt::format("{}: {} does not reach {}", config_.source, nodes_[0].name, nodes_[n].name));
  }
}

}  // namespace tern::system
