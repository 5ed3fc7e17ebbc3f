// SPDX-License-Identifier: Apache-2.0
#include "sw/system/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/base/user_error.h"

namespace tern::system {

Fabric::Fabric(SystemConfig config) : config_(std::move(config)) {
  if (config_.scale_out.units > 1) {
    add_units();
    return;
  }
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
  link(a, b, lanes, medium);
}

void Fabric::link(std::uint32_t a, std::uint32_t b, unsigned lanes, Medium medium) {
  const auto number = static_cast<std::uint32_t>(links_.size());
  const double lane =
      medium == Medium::kNetwork ? config_.scale_out.lane_gb_per_s() : config_.lane_gb_per_s;
  links_.push_back({a, b, lanes, medium, lanes * lane});
  links_of_[a].push_back(number);
  links_of_[b].push_back(number);
}

// Each as it is alone.
void Fabric::add_units() {
  const Fabric unit = unit_of(*this);
  const std::uint32_t all_chips = chips(), chips_each = unit.chips();
  const auto others_each = static_cast<std::uint32_t>(unit.nodes_.size()) - chips_each;
  const auto number = [&](unsigned u, std::uint32_t node) {
    return node < chips_each ? u * chips_each + node
                             : all_chips + u * others_each + node - chips_each;
  };
  nodes_.resize(config_.scale_out.units * unit.nodes_.size());
  links_of_.resize(nodes_.size());
  for (unsigned u = 0; u < config_.scale_out.units; ++u) {
    for (std::uint32_t n = 0; n < unit.nodes_.size(); ++n) {
      Node& node = nodes_[number(u, n)] = unit.nodes_[n];
      node.unit = u;
      node.name = fmt::format("unit{}.{}", u, node.name);
    }
    for (const Link& l : unit.links_) link(number(u, l.a), number(u, l.b), l.lanes, l.medium);
  }
  add_network();
}

// A leaf has chips that are next to each other, or those in one place of all units. What is above
// the leaves is one node, since no more comes to it than it passes on.
void Fabric::add_network() {
  const ScaleOut& s = config_.scale_out;
  const unsigned each = config_.unit_chips(), leaves = (chips() + s.leaf_chips - 1) / s.leaf_chips;
  const auto add_node = [&](NodeKind kind, unsigned place, std::string name) {
    Node node;
    node.kind = kind;
    node.place = place;
    node.name = std::move(name);
    nodes_.push_back(std::move(node));
    links_of_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  };
  // Several links of one port each where every stream keeps to one.
  const auto cable = [&](std::uint32_t below, std::uint32_t above, unsigned ports) {
    for (unsigned i = 0; !s.multipath && i < ports; ++i) link(below, above, 1, Medium::kNetwork);
    if (s.multipath) link(below, above, ports, Medium::kNetwork);
  };
  const auto first_leaf = static_cast<std::uint32_t>(nodes_.size());
  for (unsigned leaf = 0; leaf < leaves; ++leaf)
    add_node(NodeKind::kLeafSwitch, leaf, fmt::format("leaf{}", leaf));
  for (std::uint32_t chip = 0; chip < chips(); ++chip) {
    const unsigned at = s.rails ? chip % each * s.units + chip / each : chip;
    cable(chip, first_leaf + at / s.leaf_chips, s.ports());
  }
  if (leaves == 1) return;
  const std::uint32_t spine = add_node(NodeKind::kSpine, 0, "spine");
  for (unsigned leaf = 0; leaf < leaves; ++leaf) cable(first_leaf + leaf, spine, s.uplinks());
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
  for (const std::uint32_t link : links_of_[node]) {
    if (links_[link].medium != Medium::kNetwork) lanes += links_[link].lanes;
  }
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

double Fabric::gb_per_s(unsigned lanes) const {
  return lanes * config_.lane_gb_per_s;
}

double Fabric::network_gb_per_s() const {
  return config_.scale_out.units > 1 ? config_.scale_out.chip_gb_per_s() : 0;
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

double through_ns(const SystemConfig& config, NodeKind kind) {
  switch (kind) {
    case NodeKind::kChip:
      return config.link.forward_ns;
    case NodeKind::kTraySwitch:
    case NodeKind::kRackSwitch:
      return config.link.switch_ns;
    case NodeKind::kLeafSwitch:
    case NodeKind::kSpine:
      break;
  }
  return config.scale_out.switch_ns;
}

Fabric unit_of(const Fabric& fabric) {
  SystemConfig config = fabric.config();
  config.scale_out.units = 1;
  return Fabric(std::move(config));
}

}  // namespace tern::system
