// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sw/system/fabric.h"

namespace tern::fabric::packet {

// A channel as its sender sees it.
struct Edge {
  std::uint32_t channel, to;
};

// By node, in the order of the nodes at their ends: the numbers of links do not matter to ways.
inline std::vector<std::vector<Edge>> edges_of(const system::Fabric& fabric,
                                               const std::vector<bool>& usable) {
  std::vector<std::vector<Edge>> edges(fabric.nodes().size());
  const auto& links = fabric.links();
  for (std::uint32_t n = 0; n < links.size(); ++n) {
    if (!usable[n]) continue;
    edges[links[n].a].push_back({2 * n, links[n].b});
    edges[links[n].b].push_back({2 * n + 1, links[n].a});
  }
  for (auto& list : edges) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Edge& a, const Edge& b) { return a.to < b.to; });
  }
  return edges;
}

}  // namespace tern::fabric::packet
