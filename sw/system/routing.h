// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/system/fabric.h"

namespace tern::system {

// Nodes and links that are out of service.
struct Outage {
  std::vector<bool> nodes, links;  // empty: none
  bool node(std::uint32_t n) const { return !nodes.empty() && nodes[n]; }
  bool link(std::uint32_t n) const { return !links.empty() && links[n]; }
};

// Shortest ways from one chip. A switch or a chip in between is a hop; of ways of the same length
// the one over nodes of lower numbers is taken. Chips of a unit reach each other inside of it,
// those of others by their own NICs.
class Routes {
 public:
  static constexpr unsigned kUnreachable = ~0u;

  Routes(const Fabric& fabric, std::uint32_t from, const Outage& outage = {});

  // Nodes in between; to itself and to a neighbour 0.
  unsigned hops(std::uint32_t to) const;
  // Shortest ways of that length, at most 2^32.
  std::uint64_t ways(std::uint32_t to) const { return ways_[to]; }
  // Nodes from `from` to `to`; empty: there is no way.
  std::vector<std::uint32_t> path(std::uint32_t to) const;

 private:
  template <class Enter>
  void search(const Fabric& fabric, const Outage& outage, bool network, const Enter& enter);

  std::uint32_t from_;
  std::vector<std::uint32_t> distance_, parent_;
  std::vector<std::uint64_t> ways_;
};

// Pairs of chips by hops: entry h is how many have h.
std::vector<std::uint64_t> hop_counts(const Fabric& fabric, const Outage& outage = {});

// What an element's name stands for: a node, "A--B" for the links between two nodes, or a tray
// "rack0.tray3". None: there is no such element.
std::optional<Outage> outage_of(const Fabric& fabric, const std::string& element);

// What goes out of service with something.
struct BlastRadius {
  std::string what;
  unsigned chips_out = 0;          // that are themselves gone
  unsigned chips_cut = 0;          // left, but the largest part does not reach them
  std::uint64_t pairs_longer = 0;  // of the rest: that have more hops than before
  unsigned most_hops = 0;          // after it
  std::uint64_t pairs_lost = 0;    // of several units: that have no way any more
  unsigned lanes_lost = 0;         // of the chip that loses most
  bool whole_domain = false;       // a torus with a missing chip is no torus
};
// element: as above. Throws UserError.
BlastRadius blast_radius(const Fabric& fabric, const std::string& element);

}  // namespace tern::system
