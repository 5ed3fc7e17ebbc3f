// SPDX-License-Identifier: Apache-2.0
#include "sw/system/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sw/base/user_error.h"

namespace tern::system {

namespace {
constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostWays = std::uint64_t{1} << 32;
}  // namespace

Routes::Routes(const Fabric& fabric, std::uint32_t from, const Outage& outage)
    : from_(from),
      distance_(fabric.nodes().size(), kFar),
      parent_(fabric.nodes().size(), kFar),
      ways_(fabric.nodes().size(), 0) {
  if (outage.node(from)) return;
  distance_[from] = 0;
  ways_[from] = 1;
  search(fabric, outage, false, [](const Node&) { return true; });
  const unsigned unit = fabric.nodes()[from].unit;
  search(fabric, outage, true, [&](const Node& node) {
    return node.kind == NodeKind::kLeafSwitch || node.kind == NodeKind::kSpine ||
           (node.kind == NodeKind::kChip && node.unit != unit);
  });
}

// Breadth first; a level is visited in the order of its numbers, so parents are the lowest.
template <class Enter>
void Routes::search(const Fabric& fabric, const Outage& outage, bool network, const Enter& enter) {
  std::vector<std::uint32_t> level = {from_}, next;
  while (!level.empty()) {
    next.clear();
    for (const std::uint32_t at : level) {
      for (const std::uint32_t link : fabric.links_of(at)) {
        const std::uint32_t to = fabric.links()[link].other(at);
        if ((fabric.links()[link].medium == Medium::kNetwork) != network) continue;
        if (outage.link(link) || outage.node(to) || !enter(fabric.nodes()[to])) continue;
        if (distance_[to] == kFar) {
          distance_[to] = distance_[at] + 1;
          parent_[to] = at;
          next.push_back(to);
        }
        if (distance_[to] == distance_[at] + 1)
          ways_[to] = std::min(kMostWays, ways_[to] + ways_[at]);
      }
    }
    std::sort(next.begin(), next.end());
    level.swap(next);
  }
}

unsigned Routes::hops(std::uint32_t to) const {
  if (distance_[to] == kFar) return kUnreachable;
  return distance_[to] == 0 ? 0 : distance_[to] - 1;
}

std::vector<std::uint32_t> Routes::path(std::uint32_t to) const {
  std::vector<std::uint32_t> nodes;
  if (distance_[to] == kFar) return nodes;
  for (std::uint32_t at = to; at != from_; at = parent_[at]) nodes.push_back(at);
  nodes.push_back(from_);
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<std::uint64_t> hop_counts(const Fabric& fabric, const Outage& outage) {
  std::vector<std::uint64_t> counts;
  for (std::uint32_t a = 0; a < fabric.chips(); ++a) {
    const Routes routes(fabric, a, outage);
    for (std::uint32_t b = a + 1; b < fabric.chips(); ++b) {
      const unsigned hops = routes.hops(b);
      if (hops == Routes::kUnreachable) continue;
      if (counts.size() <= hops) counts.resize(hops + 1);
      ++counts[hops];
    }
  }
  return counts;
}

namespace {

// "rack0.tray3" of "rack0.tray3.chip1".
std::string tray_of(const Node& node) {
  return node.name.substr(0, node.name.rfind('.'));
}

}  // namespace

std::optional<Outage> outage_of(const Fabric& fabric, const std::string& element) {
  Outage out;
  out.nodes.resize(fabric.nodes().size());
  out.links.resize(fabric.links().size());
  if (const auto node = fabric.find(element)) {
    out.nodes[*node] = true;
    return out;
  }
  const std::size_t dashes = element.find("--");
  if (dashes != std::string::npos) {
    const auto a = fabric.find(element.substr(0, dashes)),
               b = fabric.find(element.substr(dashes + 2));
    bool any = false;
    for (std::uint32_t n = 0; a && b && n < fabric.links().size(); ++n) {
      const Link& link = fabric.links()[n];
      const bool between = (link.a == *a && link.b == *b) || (link.a == *b && link.b == *a);
      out.links[n] = between;
      any = any || between;
    }
    if (!any) return std::nullopt;
    return out;
  }
  bool any = false;
  for (std::uint32_t n = 0; n < fabric.nodes().size(); ++n) {
    const Node& node = fabric.nodes()[n];
    const bool on_tray = node.kind == NodeKind::kChip || node.kind == NodeKind::kTraySwitch;
    if (!on_tray || tray_of(node) != element) continue;
    out.nodes[n] = any = true;
  }
  if (!any) return std::nullopt;
  return out;
}

BlastRadius blast_radius(const Fabric& fabric, const std::string& element) {
  const std::optional<Outage> found = outage_of(fabric, element);
  if (!found)
    throw UserError(
        fmt::format("no chip, switch, tray or link '{}' in {}", element, fabric.config().name));
  const Outage& outage = *found;
  BlastRadius result;
  result.what = element;
  std::vector<std::uint32_t> left;
  for (std::uint32_t n = 0; n < fabric.chips(); ++n) {
    if (outage.node(n)) {
      ++result.chips_out;
    } else {
      left.push_back(n);
    }
    unsigned lost = 0;
    for (const std::uint32_t link : fabric.links_of(n)) {
      const Link& l = fabric.links()[link];
      if (l.medium == Medium::kNetwork) continue;
      if (outage.link(link) || outage.node(l.other(n))) lost += l.lanes;
    }
    if (!outage.node(n)) result.lanes_lost = std::max(result.lanes_lost, lost);
  }
  unsigned largest = 0;
  for (const std::uint32_t a : left) {
    const Routes before(fabric, a), after(fabric, a, outage);
    unsigned reached = 0;
    for (const std::uint32_t b : left) {
      const unsigned hops = after.hops(b);
      if (hops == Routes::kUnreachable) {
        if (b > a && fabric.config().scale_out.units > 1) ++result.pairs_lost;
        continue;
      }
      ++reached;
      if (b <= a) continue;
      result.most_hops = std::max(result.most_hops, hops);
      result.pairs_longer += hops > before.hops(b);
    }
    largest = std::max(largest, reached);
  }
  result.chips_cut = static_cast<unsigned>(left.size()) - largest;
  result.whole_domain = fabric.config().torus.has_value() && result.chips_out > 0;
  return result;
}

}  // namespace tern::system
