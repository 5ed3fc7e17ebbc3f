// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/packet/rising_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sw/base/user_error.h"
#include "systemc/fabric/packet/scale_out_routes.h"
#include "systemc/fabric/packet/spreading.h"
#include "systemc/fabric/packet/torus_routes.h"

namespace tern::fabric::packet {

namespace {
constexpr std::uint16_t kFar = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kMostWays = std::numeric_limits<std::uint32_t>::max();
}  // namespace

RisingRoutes::RisingRoutes(const system::Fabric& fabric)
    : RisingRoutes(fabric, std::vector<bool>(fabric.links().size(), true), 1) {
  for (std::uint32_t target = 0; target < chips_; ++target)
    vcs_ = std::max(vcs_, most_vcs(make_field(target)));
  if (vcs_ > kMostVcs)
    throw UserError(fmt::format("{}: a shortest way needs {} virtual channels, at most {}",
                                fabric.config().source, vcs_, kMostVcs));
}

RisingRoutes::RisingRoutes(const system::Fabric& fabric, const std::vector<bool>& usable,
                           unsigned vcs)
    : chips_(fabric.chips()),
      tray_(fabric.config().chips_per_tray),
      edges_(edges_of(fabric, usable)),
      fields_(fabric.chips()),
      vcs_(vcs) {}

RisingRoutes::Field RisingRoutes::make_field(std::uint32_t target) const {
  Field f;
  f.distance.assign(edges_.size(), kFar);
  f.ways.assign(edges_.size(), 0);
  f.distance[target] = 0;
  f.ways[target] = 1;
  std::vector<std::uint32_t> order = {target};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t at = order[i];
    for (const Edge& edge : edges_[at]) {
      if (f.distance[edge.to] == kFar) {
        f.distance[edge.to] = static_cast<std::uint16_t>(f.distance[at] + 1);
        order.push_back(edge.to);
      }
      if (f.distance[edge.to] == f.distance[at] + 1)
        f.ways[edge.to] = static_cast<std::uint32_t>(
            std::min(kMostWays, std::uint64_t{f.ways[edge.to]} + f.ways[at]));
    }
  }
  return f;
}

const RisingRoutes::Field& RisingRoutes::field(std::uint32_t target) {
  if (fields_[target].distance.empty()) fields_[target] = make_field(target);
  return fields_[target];
}

// Virtual channels of the ways of one field: nodes by distance, each with the most rises from it
// on.
unsigned RisingRoutes::most_vcs(const Field& f) const {
  std::vector<std::uint32_t> order;
  for (std::uint32_t n = 0; n < edges_.size(); ++n) {
    if (f.distance[n] != kFar) order.push_back(n);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return f.distance[a] < f.distance[b]; });
  std::vector<unsigned> rises_from(edges_.size());
  unsigned most = 1;
  for (const std::uint32_t at : order) {
    for (const Edge& edge : edges_[at]) {
      if (f.distance[edge.to] + 1 != f.distance[at]) continue;
      rises_from[at] = std::max(rises_from[at], rises_from[edge.to] + (rises(at, edge.to) ? 1 : 0));
      if (at < chips_) most = std::max(most, 1 + rises_from[edge.to]);
    }
  }
  return most;
}

bool RisingRoutes::path(const Transfer& transfer, std::vector<Hop>* hops) {
  const Field& f = field(transfer.target);
  std::uint32_t at = transfer.source;
  if (f.distance[at] == kFar) return false;
  std::uint64_t way = choose(spread(transfer, tray_), f.ways[at]);
  std::uint8_t vc = 0;
  while (at != transfer.target) {
    const Edge* taken = nullptr;
    for (const Edge& edge : edges_[at]) {
      if (f.distance[edge.to] + 1 != f.distance[at]) continue;
      taken = &edge;
      if (way < f.ways[edge.to]) break;
      way -= f.ways[edge.to];
    }
    if (!hops->empty() && rises(at, taken->to)) ++vc;
    if (vc >= vcs_) return false;
    hops->push_back({taken->channel, vc, 1});
    at = taken->to;
  }
  return true;
}

std::unique_ptr<Routes> routes_of(const system::Fabric& fabric) {
  if (fabric.config().scale_out.units > 1) return std::make_unique<ScaleOutRoutes>(fabric);
  if (only_torus(fabric)) return std::make_unique<TorusRoutes>(fabric);
  return std::make_unique<RisingRoutes>(fabric);
}

}  // namespace tern::fabric::packet
