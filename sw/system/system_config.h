// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sw/system/link_config.h"
#include "sw/system/scale_out.h"

// A scale-up system as its YAML file describes it: chips in trays, racks or servers, and what
// connects them. Keys, units and sources: README.md and presets/*.yaml.
namespace tern::system {

// Chips at the points of a torus, neighbours linked; number = x + y * size[0] + ...
struct Torus {
  std::vector<unsigned> size;   // 1 to 4 axes
  std::vector<unsigned> lanes;  // of a link along each axis
  Source source;
};

// Switches that serve whole racks: chip p of a tray is on plane p * planes / chips_per_tray, with a
// link to each switch of that plane in its rack.
struct RackSwitches {
  unsigned planes = 1, switches = 0;  // of a plane in a rack
  unsigned lanes = 0, ports = 0;      // of a switch
  unsigned link_lanes = 0;            // of a link
  unsigned active_lanes = 0;          // of a chip's links to its plane; the others are redundant
  Source source;
};

// Switches inside of a tray: every chip of it has a link to each.
struct TraySwitches {
  unsigned switches = 0, lanes = 0, ports = 0, link_lanes = 0;
  Source source;
};

// A cable between two chips that the rules above do not make.
struct Cable {
  std::string from, to;  // names of chips
  unsigned lanes = 0;
  Source source;
};

// The cores that run collectives. Sources: README.md.
struct CollectivesConfig {
  double step_ns = 50;          // of a core, for a step: it starts a DMA ring, or sees a semaphore
  double wake_ns = 1400;        // from what a core waits for until it goes on
  double local_gb_per_s = 900;  // copied or added on one chip
};

// A line of the bill: what is known of hosts, power, cooling, cost.
struct BillItem {
  std::string item, value, source;
};

struct SystemConfig {
  static constexpr unsigned kMostChips = 16384, kMostSwitches = 65536, kMostLinks = 1 << 20;

  std::string name, title;
  std::string chip;          // preset of its chips; empty: none is modelled yet
  double lane_gb_per_s = 0;  // one direction
  unsigned chip_lanes = 0;   // of a chip, redundant ones included
  Source chip_lanes_source;
  std::string group = "rack";                          // what holds trays: "rack", "server"
  unsigned groups = 1, trays = 1, chips_per_tray = 1;  // trays of a group
  std::optional<Torus> torus;
  std::optional<RackSwitches> rack_switches;
  unsigned tray_lanes = 0;  // of the direct link between any two chips of a tray; 0: none
  std::optional<TraySwitches> tray_switches;
  unsigned cross_lanes = 0;  // of the link to the chip in the same place of the next group
  std::vector<Cable> cables;
  ScaleOut scale_out;
  LinkConfig link;
  CollectivesConfig collectives;
  std::vector<BillItem> bill;
  Source source;  // of the file

  unsigned unit_chips() const { return groups * trays * chips_per_tray; }
  unsigned chips() const { return scale_out.units * unit_chips(); }
};

// Names of the presets in the binary.
std::vector<std::string> system_names();

// A preset, or a YAML file. Throws UserError with file and line.
SystemConfig load_system(const std::string& name_or_path);
// units: of `scale_out`, instead of what is said there. Throws UserError likewise.
SystemConfig load_system(const std::string& name_or_path, const std::optional<unsigned>& units);

}  // namespace tern::system
