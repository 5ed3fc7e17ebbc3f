// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/packet/up_down_routes.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "systemc/fabric/packet/spreading.h"

namespace tern::fabric::packet {

namespace {
constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
}  // namespace

UpDownRoutes::UpDownRoutes(const system::Fabric& fabric, const std::vector<bool>& usable,
                           std::uint8_t vc)
    : tray_(fabric.config().chips_per_tray),
      vc_(vc),
      edges_(edges_of(fabric, usable)),
      rank_(fabric.nodes().size(), kFar),
      fields_(fabric.chips()) {
  // Breadth first from the node with most links; what it does not reach has a root of its own.
  std::vector<std::uint32_t> roots(edges_.size());
  std::iota(roots.begin(), roots.end(), 0U);
  std::stable_sort(roots.begin(), roots.end(), [&](std::uint32_t a, std::uint32_t b) {
    return edges_[a].size() > edges_[b].size();
  });
  std::vector<std::uint32_t> order;
  for (const std::uint32_t root : roots) {
    if (rank_[root] != kFar) continue;
    std::size_t at = order.size();
    rank_[root] = static_cast<std::uint32_t>(order.size());
    order.push_back(root);
    for (; at < order.size(); ++at) {
      for (const Edge& edge : edges_[order[at]]) {
        if (rank_[edge.to] != kFar) continue;
        rank_[edge.to] = static_cast<std::uint32_t>(order.size());
        order.push_back(edge.to);
      }
    }
  }
}

// Breadth first, backwards: what comes before a place that may go up is a node below it; before
// one that goes down, a node above it that goes up or down until then.
UpDownRoutes::Field UpDownRoutes::make_field(std::uint32_t target) const {
  constexpr std::uint64_t kMostWays = kFar;
  Field f;
  f.distance.assign(2 * edges_.size(), kFar);
  f.ways.assign(2 * edges_.size(), 0);
  std::vector<std::uint32_t> order = {2 * target, 2 * target + 1};
  for (const std::uint32_t place : order) {
    f.distance[place] = 0;
    f.ways[place] = 1;
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t place = order[i], node = place / 2;
    const bool goes_up = place % 2 == 0;
    const auto reach = [&](std::uint32_t before) {
      if (f.distance[before] == kFar) {
        f.distance[before] = f.distance[place] + 1;
        order.push_back(before);
      }
      if (f.distance[before] == f.distance[place] + 1)
        f.ways[before] = static_cast<std::uint32_t>(
            std::min(kMostWays, std::uint64_t{f.ways[before]} + f.ways[place]));
    };
    for (const Edge& edge : edges_[node]) {
      if (up(edge.to, node) != goes_up) continue;
      reach(2 * edge.to);
      if (!goes_up) reach(2 * edge.to + 1);
    }
  }
  return f;
}

const UpDownRoutes::Field& UpDownRoutes::field(std::uint32_t target) {
  if (fields_[target].distance.empty()) fields_[target] = make_field(target);
  return fields_[target];
}

bool UpDownRoutes::path(const Transfer& transfer, std::vector<Hop>* hops) {
  const Field& f = field(transfer.target);
  std::uint32_t at = 2 * transfer.source;
  if (f.distance[at] == kFar) return false;
  std::uint64_t way = choose(spread(transfer, tray_), f.ways[at]);
  while (at / 2 != transfer.target) {
    const Edge* taken = nullptr;
    std::uint32_t next = at;
    for (const Edge& edge : edges_[at / 2]) {
      const bool goes_up = up(at / 2, edge.to);
      if (goes_up && at % 2 == 1) continue;
      const std::uint32_t place = 2 * edge.to + (goes_up ? 0 : 1);
      if (f.distance[place] == kFar || f.distance[place] + 1 != f.distance[at]) continue;
      taken = &edge;
      next = place;
      if (way < f.ways[place]) break;
      way -= f.ways[place];
    }
    hops->push_back({taken->channel, vc_, 1});
    at = next;
  }
  return true;
}

}  // namespace tern::fabric::packet
