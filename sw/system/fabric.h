// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/system/system_config.h"

namespace tern::system {

enum class NodeKind : std::uint8_t { kChip, kTraySwitch, kRackSwitch };

struct Node {
  NodeKind kind = NodeKind::kChip;
  unsigned group = 0, tray = 0;  // a switch of a rack has no tray
  unsigned place = 0;            // in the tray; of a switch of a rack: in its plane
  unsigned plane = 0;
  std::string name;  // "rack0.tray3.chip1", "rack0.tray3.switch5", "rack1.plane0.switch9"
};

struct Link {
  std::uint32_t a = 0, b = 0;  // nodes
  unsigned lanes = 0;
  Medium medium = Medium::kPcb;
  std::uint32_t other(std::uint32_t end) const { return end == a ? b : a; }
};

// The graph of a system. Nodes 0 .. chips - 1 are the chips, by group, tray and place.
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

  unsigned lanes_of(std::uint32_t node) const;
  unsigned lanes_of(std::uint32_t node, Medium medium) const;
  // Without the redundant ones.
  unsigned active_lanes_of(std::uint32_t chip) const;
  unsigned count(NodeKind kind) const;
  std::uint64_t gb_per_s(unsigned lanes) const;

 private:
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

}  // namespace tern::system
