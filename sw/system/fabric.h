// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/system/system_config.h"

namespace tern::system {

enum class NodeKind : std::uint8_t { kChip, kTraySwitch, kRackSwitch, kLeafSwitch, kSpine };

struct Node {
  NodeKind kind = NodeKind::kChip;
  unsigned group = 0, tray = 0;  // a switch of a rack has no tray
  unsigned place = 0;            // in the tray; of a switch of a rack: in its plane
  unsigned plane = 0;
  // "rack0.tray3.chip1", "rack0.tray3.switch5", "rack1.plane0.switch9"; of several units
  // "unit2.rack0.tray3.chip1", "leaf4", "spine".
  std::string name;
  unsigned unit = 0;
};

struct Link {
  std::uint32_t a = 0, b = 0;  // nodes
  unsigned lanes = 0;          // of the network between units: ports
  Medium medium = Medium::kPcb;
  double gb_per_s = 0;  // one direction
  std::uint32_t other(std::uint32_t end) const { return end == a ? b : a; }
};

// The graph of a system. Nodes 0 .. chips - 1 are the chips, by unit, group, tray and place; the
// other nodes of units follow, then leaves and spine. Links are those of unit after unit, each with
// the numbers that they have in one alone, then those of the network.
class Fabric {
 public:
  // Throws UserError: a chip with more lanes than it has, a cable to nowhere, a chip that no other
  // one reaches.
  explicit Fabric(SystemConfig config);

  const SystemConfig& config() const { return config_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Link>& links() const { return links_; }
  unsigned chips() const { return config_.chips(); }
  // Numbers of the links of a node.
  const std::vector<std::uint32_t>& links_of(std::uint32_t node) const { return links_of_[node]; }
  std::optional<std::uint32_t> find(const std::string& name) const;

  // Without the network between units.
  unsigned lanes_of(std::uint32_t node) const;
  unsigned lanes_of(std::uint32_t node, Medium medium) const;
  // Without the redundant ones.
  unsigned active_lanes_of(std::uint32_t chip) const;
  unsigned count(NodeKind kind) const;
  double gb_per_s(unsigned lanes) const;
  // Of its NIC; 0: there is no network.
  double network_gb_per_s() const;

 private:
  void add_units();
  void add_network();
  void link(std::uint32_t a, std::uint32_t b, unsigned lanes, Medium medium);
  std::uint32_t chip(unsigned group, unsigned tray, unsigned place) const;
  void connect(std::uint32_t a, std::uint32_t b, unsigned lanes);
  void add_chips();
  void add_torus(const Torus& torus);
  void add_rack_switches(const RackSwitches& s);
  void add_trays();
  void add_cross();
  void add_cables();
  void check_lanes() const;
  void check_reachable() const;

  SystemConfig config_;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<std::vector<std::uint32_t>> links_of_;
};

// From one link of such a node to the next one, without the links.
double through_ns(const SystemConfig& config, NodeKind kind);

// One of a system's units by itself.
Fabric unit_of(const Fabric& fabric);

}  // namespace tern::system
