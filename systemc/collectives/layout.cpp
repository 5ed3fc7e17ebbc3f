// SPDX-License-Identifier: Apache-2.0
#include "systemc/collectives/layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tern::collectives {

namespace {

using Chips = std::vector<std::uint32_t>;

// Sizes of the runs of chips with one key; empty: they are not of one size.
template <class Key>
unsigned equal_runs(const Chips& chips, const Key& key) {
  std::vector<unsigned> runs;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    if (i == 0 || key(chips[i]) != key(chips[i - 1])) runs.push_back(0);
    ++runs.back();
  }
  return std::all_of(runs.begin(), runs.end(), [&](unsigned run) { return run == runs[0]; })
             ? runs[0]
             : 0;
}

// Of a chip's links to its rack's switches, those in use.
double rack_lanes(const system::SystemConfig& config) {
  if (!config.rack_switches) return 0;
  return config.rack_switches->active_lanes;
}

// Of each unit the same chips: their axes, then the units. Else nothing is known.
Axes axes_over_units(const system::Fabric& fabric, const Chips& chips) {
  const system::Fabric unit = system::unit_of(fabric);
  const auto in_unit = [&](std::uint32_t chip) { return chip / unit.chips(); };
  const unsigned of_unit = equal_runs(chips, in_unit);
  if (of_unit == 0) return {static_cast<unsigned>(chips.size())};
  Chips first;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    const std::uint32_t place = chips[i] % unit.chips();
    if (i < of_unit) {
      first.push_back(place);
    } else if (place != first[i % of_unit]) {
      return {static_cast<unsigned>(chips.size())};
    }
  }
  Axes axes;
  if (of_unit > 1) axes = axes_of(unit, first);
  const auto units = static_cast<unsigned>(chips.size() / of_unit);
  const double lanes = fabric.network_gb_per_s() / fabric.config().lane_gb_per_s;
  if (units > 1) axes.emplace_back(units, lanes);
  return axes;
}

}  // namespace

bool is_whole_torus(const system::Fabric& fabric, const Chips& chips) {
  Chips all(fabric.chips());
  std::iota(all.begin(), all.end(), 0U);
  return fabric.config().torus && fabric.config().scale_out.units == 1 && chips == all;
}

Axes axes_of(const system::Fabric& fabric, const Chips& chips) {
  const system::SystemConfig& config = fabric.config();
  const auto count = static_cast<unsigned>(chips.size());
  if (config.scale_out.units > 1) return axes_over_units(fabric, chips);
  Axes axes;
  if (is_whole_torus(fabric, chips)) {
    for (std::size_t axis = 0; axis < config.torus->size.size(); ++axis)
      axes.emplace_back(config.torus->size[axis], config.torus->lanes[axis]);
    return axes;
  }
  if (config.torus) return {count};  // some of it: nothing is known of their links
  const auto group = [&](std::uint32_t chip) { return fabric.nodes()[chip].group; };
  const auto tray = [&](std::uint32_t chip) {
    return std::pair(fabric.nodes()[chip].group, fabric.nodes()[chip].tray);
  };
  unsigned rest = count;
  const auto add = [&](unsigned run, double lanes) {
    if (run <= 1 || run > rest || rest % run != 0) return;
    axes.emplace_back(run, std::max(lanes, 1.0));
    rest /= run;
  };
  const double tray_lanes =
      config.tray_lanes * (config.chips_per_tray - 1) +
      (config.tray_switches ? config.tray_switches->switches * config.tray_switches->link_lanes
                            : 0);
  const unsigned of_tray = equal_runs(chips, tray), of_group = equal_runs(chips, group);
  add(of_tray, tray_lanes);
  if (of_group > of_tray && of_group % std::max(of_tray, 1U) == 0)
    add(of_group / std::max(of_tray, 1U), rack_lanes(config));
  if (rest > 1) axes.emplace_back(rest, axes.empty() ? 1.0 : std::max(config.cross_lanes, 1U));
  return axes;
}

unsigned planes_of(const system::Fabric& fabric) {
  unsigned links = 0;
  for (const std::uint32_t link : fabric.links_of(0)) {
    const system::Link& l = fabric.links()[link];
    if (l.medium == system::Medium::kNetwork) continue;
    if (fabric.nodes()[l.other(0)].kind != system::NodeKind::kChip) ++links;
  }
  return std::max(links, 1U);
}

Placed::WaysOf ways_of(const system::Fabric& fabric, fabric::packet::Routes& routes) {
  return [&fabric, &routes](std::uint32_t source, std::uint32_t target) {
    Placed::Ways ways;
    ways.all = ways.used = routes.ways(source, target);
    const auto& rack = fabric.config().rack_switches;
    const system::Node &a = fabric.nodes()[source], &b = fabric.nodes()[target];
    if (!rack || a.unit != b.unit || a.tray == b.tray) return ways;
    const std::uint64_t used =
        std::uint64_t{ways.all} * rack->active_lanes / (rack->switches * rack->link_lanes);
    ways.used = static_cast<std::uint32_t>(std::max<std::uint64_t>(used, 1));
    return ways;
  };
}

}  // namespace tern::collectives
