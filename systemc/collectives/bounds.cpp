// SPDX-License-Identifier: Apache-2.0
#include "systemc/collectives/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "systemc/fabric/ideal/ideal_transport.h"

namespace tern::collectives {

namespace {

constexpr double kSecondsPerFs = 1e-15;

// Largest flow from one node to another, after Dinic.
class Flow {
 public:
  explicit Flow(std::size_t nodes) : edges_of_(nodes) {}

  void connect(std::uint32_t from, std::uint32_t to, double there, double back) {
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({to, there});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({from, back});
  }

  double largest(std::uint32_t source, std::uint32_t sink) {
    double all = 0;
    while (layers(source, sink)) {
      next_.assign(edges_of_.size(), 0);
      for (double more = push(source, sink, std::numeric_limits<double>::infinity()); more > 0;
           more = push(source, sink, std::numeric_limits<double>::infinity()))
        all += more;
    }
    return all;
  }

 private:
  struct Edge {
    std::uint32_t to;
    double left;
  };
  static constexpr double kLeast = 1e-9;

  bool layers(std::uint32_t source, std::uint32_t sink) {
    layer_.assign(edges_of_.size(), -1);
    layer_[source] = 0;
    std::queue<std::uint32_t> queue;
    queue.push(source);
    while (!queue.empty()) {
      const std::uint32_t node = queue.front();
      queue.pop();
      for (const std::size_t e : edges_of_[node]) {
        if (edges_[e].left <= kLeast || layer_[edges_[e].to] >= 0) continue;
        layer_[edges_[e].to] = layer_[node] + 1;
        queue.push(edges_[e].to);
      }
    }
    return layer_[sink] >= 0;
  }

  double push(std::uint32_t node, std::uint32_t sink, double most) {
    if (node == sink) return most;
    for (std::size_t& i = next_[node]; i < edges_of_[node].size(); ++i) {
      const std::size_t e = edges_of_[node][i];
      if (edges_[e].left <= kLeast || layer_[edges_[e].to] != layer_[node] + 1) continue;
      const double pushed = push(edges_[e].to, sink, std::min(most, edges_[e].left));
      if (pushed <= 0) continue;
      edges_[e].left -= pushed;
      edges_[e ^ 1].left += pushed;
      return pushed;
    }
    return 0;
  }

  std::vector<Edge> edges_;  // in pairs
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<int> layer_;
  std::vector<std::size_t> next_;
};

// What ranks of a part of the group must send to the rest, `part` of them. Here and below in sizes
// of the buffer.
double share_across(const Problem& problem, double part) {
  const double p = problem.ranks;
  switch (problem.operation) {
    case Operation::kAllReduce:  // a sum of the part's, and the result for it the other way
    case Operation::kBroadcast:  // from the root's part, or to it
      return 1;
    case Operation::kReduceScatter:
      return (p - part) / p;
    case Operation::kAllGather:
      return part / p;
    case Operation::kAllToAll:
      return part * (p - part) / p;
    case Operation::kAllToAllV:
    case Operation::kPermute:
    case Operation::kBarrier:
      break;
  }
  return 0;
}

// Of a chip with `own` of the ranks: what it must send or get, the larger. Of an AllReduce a chip
// may have as little as its operand and the result; all together have more.
double share_of_chip(const Problem& problem, double own) {
  const double p = problem.ranks, share = (p - own) / p;
  switch (problem.operation) {
    case Operation::kAllReduce:
      return own < p ? 1 : 0;
    case Operation::kReduceScatter:
    case Operation::kAllGather:
      return share;
    case Operation::kAllToAll:
      return own * share;
    case Operation::kBroadcast:
      return own < p ? 1 : 0;
    case Operation::kAllToAllV:
    case Operation::kPermute:  // by pairs
    case Operation::kBarrier:
      break;
  }
  return 0;
}

// From a rank to another one, where the operation says so.
double share_between(const Problem& problem, unsigned from, unsigned to) {
  if (problem.operation == Operation::kPermute) return problem.to[from] == to ? 1 : 0;
  return static_cast<double>(problem.counts[from][to]) / problem.most_chunks();
}

bool by_pairs(const Problem& problem) {
  return problem.operation == Operation::kPermute || problem.operation == Operation::kAllToAllV;
}

// What leaves some chips of the group and comes to them, the larger.
template <class Inside>
double crossing(const Problem& problem, const std::vector<std::uint32_t>& chips,
                const Inside& inside) {
  double sent = 0, got = 0;
  for (unsigned from = 0; from < problem.ranks; ++from) {
    for (unsigned to = 0; to < problem.ranks; ++to) {
      if (inside(chips[from]) == inside(chips[to])) continue;
      (inside(chips[from]) ? sent : got) += share_between(problem, from, to);
    }
  }
  return std::max(sent, got);
}

// Whether a rank has nothing before another one has sent it something.
bool needs(const Problem& problem, unsigned from, unsigned to) {
  if (by_pairs(problem)) return share_between(problem, from, to) > 0;
  return problem.operation != Operation::kBroadcast || from == problem.root;
}

struct Ways {
  double furthest = 0, nearest = 0;
};

// In seconds, between chips whose ranks need each other. A message of headers takes them.
Ways ways_of(const Problem& problem, const std::vector<std::uint32_t>& chips,
             const system::Fabric& fabric) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (unsigned from = 0; from < problem.ranks; ++from) {
    for (unsigned to = 0; to < problem.ranks; ++to) {
      if (chips[from] != chips[to] && needs(problem, from, to))
        pairs.emplace(chips[from], chips[to]);
    }
  }
  fabric::IdealTransport idle(fabric);
  Ways ways;
  for (const auto& [from, to] : pairs) {
    const fabric::Time latency = idle.latency(from, to, 0);
    if (latency == fabric::kNever) continue;
    ways.furthest = std::max(ways.furthest, static_cast<double>(latency) * kSecondsPerFs);
  }
  if (!pairs.empty()) ways.nearest = static_cast<double>(idle.lookahead()) * kSecondsPerFs;
  return ways;
}

// Sets of a group's chips that one thing of the system holds: trays, racks, halves along an axis.
std::set<std::vector<std::uint32_t>> parts_of(const std::vector<std::uint32_t>& chips,
                                              const system::Fabric& fabric) {
  std::map<std::vector<unsigned>, std::vector<std::uint32_t>> by_place;
  for (const std::uint32_t chip : chips) {
    const system::Node& node = fabric.nodes()[chip];
    by_place[{0, node.unit, node.group}].push_back(chip);
    by_place[{1, node.unit, node.group, node.tray}].push_back(chip);
    by_place[{3, node.unit}].push_back(chip);
    if (!fabric.config().torus) continue;
    std::uint32_t rest = chip % fabric.config().unit_chips();
    for (unsigned axis = 0; axis < fabric.config().torus->size.size(); ++axis) {
      const unsigned size = fabric.config().torus->size[axis];
      if (size > 1) by_place[{2, node.unit, axis, rest % size < size / 2}].push_back(chip);
      rest /= size;
    }
  }
  std::set<std::vector<std::uint32_t>> parts;
  for (const auto& [place, part] : by_place) {
    if (part.size() < chips.size()) parts.insert(part);
  }
  return parts;
}

}  // namespace

double cut_of(const system::Fabric& fabric, const std::vector<std::uint32_t>& from,
              const std::vector<std::uint32_t>& to) {
  const auto nodes = static_cast<std::uint32_t>(fabric.nodes().size());
  Flow flow(nodes + 2);
  for (const system::Link& link : fabric.links()) {
    flow.connect(link.a, link.b, link.gb_per_s, link.gb_per_s);
  }
  constexpr double kAnything = 1e12;
  for (const std::uint32_t chip : from) flow.connect(nodes, chip, kAnything, 0);
  for (const std::uint32_t chip : to) flow.connect(chip, nodes + 1, kAnything, 0);
  return flow.largest(nodes, nodes + 1) * 1e9;
}

std::string Bound::what() const {
  if (seconds() <= 0) return "";
  if (cut > alpha_beta()) return cut_name;
  return links > latency ? "links of chips" : "latency";
}

Bounds::Bounds(const Problem& problem, const std::vector<std::uint32_t>& chips_of_ranks,
               const system::Fabric& fabric, const CoreTimes& times)
    : start_(static_cast<double>(times.wake + times.step) * kSecondsPerFs) {
  const Ways ways = ways_of(problem, chips_of_ranks, fabric);
  furthest_ = ways.furthest;
  nearest_ = ways.nearest;
  std::map<std::uint32_t, unsigned> ranks;
  for (const std::uint32_t chip : chips_of_ranks) ++ranks[chip];
  std::vector<std::uint32_t> chips;
  double all_rates = 0;
  for (const auto& [chip, own] : ranks) {
    chips.push_back(chip);
    const double rate =
        (fabric.gb_per_s(fabric.active_lanes_of(chip)) + fabric.network_gb_per_s()) * 1e9;
    const double must = by_pairs(problem)
                            ? crossing(problem, chips_of_ranks,
                                       [of = chip](std::uint32_t other) { return other == of; })
                            : share_of_chip(problem, own);
    links_ = std::max(links_, must / rate);
    all_rates += rate;
  }
  // Each operand but one is sent to be added, and each result but one from where it is.
  if (problem.operation == Operation::kAllReduce && !chips.empty())
    links_ = std::max(links_, 2 * static_cast<double>(chips.size() - 1) / all_rates);
  for (const std::vector<std::uint32_t>& part : parts_of(chips, fabric)) {
    double inside = 0;
    for (const std::uint32_t chip : part) inside += ranks.at(chip);
    const double across =
        by_pairs(problem) ? crossing(problem, chips_of_ranks,
                                     [&](std::uint32_t chip) {
                                       return std::binary_search(part.begin(), part.end(), chip);
                                     })
                          : share_across(problem, inside);
    if (across <= 0) continue;
    std::vector<std::uint32_t> others;
    for (const std::uint32_t chip : chips) {
      if (!std::binary_search(part.begin(), part.end(), chip)) others.push_back(chip);
    }
    const double seconds = across / cut_of(fabric, part, others);
    if (seconds <= cut_) continue;
    cut_ = seconds;
    cut_name_ = fmt::format("cut of {} chips", part.size());
  }
}

Bound Bounds::of(std::uint64_t bytes) const {
  Bound bound;
  const auto size = static_cast<double>(bytes);
  if (furthest_ > 0) bound.latency = start_ + furthest_;
  if (links_ > 0 && bytes > 0) bound.links = start_ + nearest_ + links_ * size;
  if (cut_ > 0 && bytes > 0) bound.cut = start_ + nearest_ + cut_ * size;
  bound.cut_name = cut_name_;
  return bound;
}

}  // namespace tern::collectives
