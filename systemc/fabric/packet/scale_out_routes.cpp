// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/packet/scale_out_routes.h"

#include "systemc/fabric/packet/spreading.h"

namespace tern::fabric::packet {

using system::NodeKind;

namespace {

// A switch knows a stream by its addresses alone: its port follows from a hash, as in a network
// where packets of a stream must stay in order.
std::uint64_t hash_of(const Transfer& t, unsigned switches) {
  std::uint64_t x = (std::uint64_t{t.source} << 32 | t.target) +
                    (std::uint64_t{t.stream} * 4 + t.traffic_class) * 0x9e3779b97f4a7c15ULL +
                    (switches + 1) * 0xbf58476d1ce4e5b9ULL;
  for (int i = 0; i < 2; ++i) x = (x ^ x >> 31) * 0x94d049bb133111ebULL;
  return x;
}

}  // namespace

ScaleOutRoutes::ScaleOutRoutes(const system::Fabric& fabric) {
  const system::Fabric unit = system::unit_of(fabric);
  chips_ = unit.chips();
  links_ = static_cast<std::uint32_t>(unit.links().size());
  inside_ = routes_of(unit);
  nics_.resize(fabric.chips());
  leaf_of_.resize(fabric.chips());
  const auto& nodes = fabric.nodes();
  // Links of the network go up, from a to b (sw/system/fabric.cpp).
  for (std::uint32_t n = 0; n < fabric.links().size(); ++n) {
    const system::Link& link = fabric.links()[n];
    if (link.medium != system::Medium::kNetwork) continue;
    if (nodes[link.b].kind == NodeKind::kLeafSwitch) {
      nics_[link.a].push_back(2 * n);
      leaf_of_[link.a] = nodes[link.b].place;
    } else {
      const unsigned leaf = nodes[link.a].place;
      if (uplinks_.size() <= leaf) uplinks_.resize(leaf + 1);
      uplinks_[leaf].push_back(2 * n);
    }
  }
}

bool ScaleOutRoutes::path(const Transfer& transfer, std::vector<Hop>* hops) {
  hops->clear();
  const std::uint32_t unit = unit_of(transfer.source);
  if (unit == unit_of(transfer.target)) {
    Transfer inside = transfer;
    inside.source -= unit * chips_;
    inside.target -= unit * chips_;
    if (!inside_->path(inside, hops)) return false;
    for (Hop& hop : *hops) hop.channel += 2 * links_ * unit;
    return true;
  }
  const auto port = [&](const std::vector<std::uint32_t>& ports, unsigned switches) {
    return ports[choose(hash_of(transfer, switches), ports.size())];
  };
  const std::uint32_t from = leaf_of_[transfer.source], to = leaf_of_[transfer.target];
  // The other direction of a channel is c ^ 1.
  hops->push_back({port(nics_[transfer.source], 0), 0, 1});
  if (from != to) {
    hops->push_back({port(uplinks_[from], 1), 0, 1});
    hops->push_back({port(uplinks_[to], 2) ^ 1, 0, 1});
  }
  hops->push_back({port(nics_[transfer.target], 3) ^ 1, 0, 1});
  return true;
}

std::uint32_t ScaleOutRoutes::ways(std::uint32_t source, std::uint32_t target) {
  const std::uint32_t unit = unit_of(source);
  if (unit == unit_of(target)) return inside_->ways(source - unit * chips_, target - unit * chips_);
  return nics_[source].size() == 1 ? 1 : 0;
}

}  // namespace tern::fabric::packet
