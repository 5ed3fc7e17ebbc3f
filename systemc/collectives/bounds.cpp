// SPDX-License-Identifier: Apache-2.0
#include "systemc/collectives/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>

namespace tern::collectives {

namespace {

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

// Bytes that ranks of a part of the group must send to the rest, `part` of them.
double bytes_across(const Problem& problem, double part, double bytes) {
  const double p = problem.ranks;
  switch (problem.operation) {
    case Operation::kAllReduce:  // a sum of the part's, and the result for it the other way
      return bytes;
    case Operation::kReduceScatter:
      return bytes * (p - part) / p;
    case Operation::kAllGather:
      return bytes * part / p;
    case Operation::kAllToAll:
      return part * bytes * (p - part) / p;
    case Operation::kBroadcast:
    case Operation::kAllToAllV:
    case Operation::kPermute:
    case Operation::kBarrier:
      break;
  }
  return 0;
}

// Of a chip with `own` of the ranks: what it must send or get, the larger.
double bytes_of_chip(const Problem& problem, double own, double bytes) {
  const double p = problem.ranks, share = bytes * (p - own) / p;
  switch (problem.operation) {
    case Operation::kAllReduce:
      return 2 * share;
    case Operation::kReduceScatter:
    case Operation::kAllGather:
      return share;
    case Operation::kAllToAll:
      return own * share;
    case Operation::kBroadcast:
      return own < p ? bytes : 0;
    case Operation::kAllToAllV:
    case Operation::kPermute:  // by pairs
    case Operation::kBarrier:
      break;
  }
  return 0;
}

// Bytes from a rank to another one, where the operation says so.
double bytes_between(const Problem& problem, unsigned from, unsigned to, double bytes) {
  if (problem.operation == Operation::kPermute) return problem.to[from] == to ? bytes : 0;
  return bytes * problem.counts[from][to] / problem.most_chunks();
}

bool by_pairs(const Problem& problem) {
  return problem.operation == Operation::kPermute || problem.operation == Operation::kAllToAllV;
}

// What leaves some chips of the group and comes to them, the larger.
template <class Inside>
double crossing(const Problem& problem, const std::vector<std::uint32_t>& chips, double bytes,
                const Inside& inside) {
  double sent = 0, got = 0;
  for (unsigned from = 0; from < problem.ranks; ++from) {
    for (unsigned to = 0; to < problem.ranks; ++to) {
      if (inside(chips[from]) == inside(chips[to])) continue;
      (inside(chips[from]) ? sent : got) += bytes_between(problem, from, to, bytes);
    }
  }
  return std::max(sent, got);
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

Bound bound_of(const Problem& problem, const std::vector<std::uint32_t>& chips_of_ranks,
               const system::Fabric& fabric, std::uint64_t bytes) {
  Bound bound;
  const auto size = static_cast<double>(bytes);
  std::map<std::uint32_t, unsigned> ranks;
  for (const std::uint32_t chip : chips_of_ranks) ++ranks[chip];
  std::vector<std::uint32_t> chips;
  for (const auto& [chip, own] : ranks) {
    chips.push_back(chip);
    const double rate = (static_cast<double>(fabric.gb_per_s(fabric.active_lanes_of(chip))) +
                         fabric.network_gb_per_s()) *
                        1e9;
    const double must = by_pairs(problem)
                            ? crossing(problem, chips_of_ranks, size,
                                       [of = chip](std::uint32_t other) { return other == of; })
                            : bytes_of_chip(problem, own, size);
    if (must / rate > bound.seconds) bound = {must / rate, "links of a chip"};
  }
  for (const std::vector<std::uint32_t>& part : parts_of(chips, fabric)) {
    double inside = 0;
    for (const std::uint32_t chip : part) inside += ranks.at(chip);
    const double across =
        by_pairs(problem) ? crossing(problem, chips_of_ranks, size,
                                     [&](std::uint32_t chip) {
                                       return std::binary_search(part.begin(), part.end(), chip);
                                     })
                          : bytes_across(problem, inside, size);
    if (across <= 0) continue;
    std::vector<std::uint32_t> others;
    for (const std::uint32_t chip : chips) {
      if (!std::binary_search(part.begin(), part.end(), chip)) others.push_back(chip);
    }
    const double seconds = across / cut_of(fabric, part, others);
    if (seconds > bound.seconds) bound = {seconds, fmt::format("cut of {} chips", part.size())};
  }
  return bound;
}

}  // namespace tern::collectives
