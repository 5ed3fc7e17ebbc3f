// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/traffic/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "sw/base/user_error.h"

namespace tern::fabric {

namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Below n; the standard distributions differ between libraries.
std::uint32_t below(std::mt19937_64& random, std::uint32_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

Pairs of_each(std::uint32_t chips, const std::function<std::uint32_t(std::uint32_t)>& target) {
  Pairs pairs;
  for (std::uint32_t chip = 0; chip < chips; ++chip) pairs.emplace_back(chip, target(chip));
  return pairs;
}

// Chips that a link joins.
Pairs neighbours(const system::Fabric& fabric) {
  Pairs pairs;
  for (std::uint32_t chip = 0; chip < fabric.chips(); ++chip) {
    std::vector<std::uint32_t> near;
    for (const std::uint32_t link : fabric.links_of(chip)) {
      const std::uint32_t other = fabric.links()[link].other(chip);
      if (other < fabric.chips()) near.push_back(other);
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (const std::uint32_t other : near) pairs.emplace_back(chip, other);
  }
  if (pairs.empty())
    throw UserError(
        fmt::format("neighbours: {} has no links from chip to chip", fabric.config().name));
  return pairs;
}

Pairs transposed(const system::Fabric& fabric) {
  const std::uint32_t chips = fabric.chips();
  std::uint32_t side = 1;
  while (side * side < chips) ++side;
  if (side * side != chips) {
    throw UserError(fmt::format("transpose: expected a square number of chips, {} has {}",
                                fabric.config().name, chips));
  }
  return of_each(chips, [&](std::uint32_t c) { return c % side * side + c / side; });
}

Pairs permuted(std::uint32_t chips, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> order(chips);
  std::iota(order.begin(), order.end(), 0);
  for (std::uint32_t n = chips; n > 1; --n) std::swap(order[n - 1], order[below(random, n)]);
  return of_each(chips, [&](std::uint32_t c) { return order[c]; });
}

Pairs pairs_of(const Traffic& t, const system::Fabric& fabric) {
  const std::uint32_t n = fabric.chips();
  if (t.pattern == "pair") return {{t.from, t.to}};
  if (t.pattern == "ring") return of_each(n, [&](std::uint32_t c) { return (c + 1) % n; });
  if (t.pattern == "tornado")
    return of_each(n, [&](std::uint32_t c) { return (c + (n - 1) / 2) % n; });
  if (t.pattern == "neighbours") return neighbours(fabric);
  if (t.pattern == "transpose") return transposed(fabric);
  if (t.pattern == "permutation") return permuted(n, t.seed);
  if (t.pattern == "incast") return of_each(n, [&](std::uint32_t) { return t.to; });
  Pairs pairs;
  if (t.pattern == "uniform") {
    std::mt19937_64 random(t.seed);
    for (std::uint32_t chip = 0; chip < n; ++chip)
      for (unsigned i = 0; i < t.targets; ++i) pairs.emplace_back(chip, below(random, n));
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }
  if (t.pattern != "all-to-all")
    throw UserError(fmt::format("pattern '{}': expected one of {}", t.pattern,
                                fmt::join(pattern_names(), ", ")));
  // Each begins with the next chip, so that not all send to the same one.
  for (std::uint32_t step = 1; step < n; ++step)
    for (std::uint32_t chip = 0; chip < n; ++chip) pairs.emplace_back(chip, (chip + step) % n);
  return pairs;
}

}  // namespace

std::vector<std::string> pattern_names() {
  return {"all-to-all", "incast",  "neighbours", "pair",   "permutation",
          "ring",       "tornado", "transpose",  "uniform"};
}

std::vector<Transfer> transfers_of(const Traffic& traffic, const system::Fabric& fabric) {
  const Pairs pairs = pairs_of(traffic, fabric);
  if (pairs.size() > kMostTransfers / traffic.streams) {
    throw UserError(fmt::format("{}: {} pairs of chips with {} streams: at most {} transfers",
                                traffic.pattern, pairs.size(), traffic.streams, kMostTransfers));
  }
  std::vector<Transfer> transfers;
  for (const auto& [from, to] : pairs) {
    if (from == to) continue;
    for (unsigned s = 0; s < traffic.streams; ++s) {
      Transfer transfer;
      transfer.source = from;
      transfer.target = to;
      transfer.bytes =
          traffic.bytes * (s + 1) / traffic.streams - traffic.bytes * s / traffic.streams;
      transfer.traffic_class = static_cast<std::uint8_t>(traffic.traffic_class);
      transfer.stream = s;
      transfer.tag = transfers.size();
      transfers.push_back(transfer);
    }
  }
  if (transfers.empty()) {
    throw UserError(fmt::format("{}: on the {} chips of {} nobody sends to another one",
                                traffic.pattern, fabric.chips(), fabric.config().name));
  }
  return transfers;
}

}  // namespace tern::fabric
