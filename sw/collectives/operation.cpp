// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "sw/base/user_error.h"

namespace tern::collectives {

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names = {"all_reduce", "all_gather",   "reduce_scatter",
                                                 "all_to_all", "all_to_all_v", "broadcast",
                                                 "permute",    "barrier"};
  return names;
}

const std::string& name_of(Operation operation) {
  return operation_names().at(static_cast<std::size_t>(operation));
}

void Problem::check() const {
  if (ranks < 2 || ranks > kMostRanks)
    throw UserError(
        fmt::format("{}: 2 to {} ranks, not {}", name_of(operation), kMostRanks, ranks));
  if (root >= ranks)
    throw UserError(fmt::format("{}: root {}, of {} ranks", name_of(operation), root, ranks));
  if (operation == Operation::kAllToAllV) check_counts();
  if (operation != Operation::kPermute) return;
  if (to.size() != ranks)
    throw UserError(fmt::format("permute: {} targets, of {} ranks", to.size(), ranks));
  std::vector<bool> taken(ranks);
  for (unsigned rank = 0; rank < ranks; ++rank) {
    if (to[rank] == kNobody) continue;
    if (to[rank] >= ranks || to[rank] == rank)
      throw UserError(fmt::format("permute: rank {} cannot send to rank {}", rank, to[rank]));
    if (taken[to[rank]])
      throw UserError(fmt::format("permute: rank {} would get from two ranks", to[rank]));
    taken[to[rank]] = true;
  }
}

void Problem::check_counts() const {
  if (counts.size() != ranks)
    throw UserError(fmt::format("all_to_all_v: counts of {} ranks, of {}", counts.size(), ranks));
  for (const auto& row : counts) {
    if (row.size() != ranks)
      throw UserError(fmt::format("all_to_all_v: counts to {} ranks, of {}", row.size(), ranks));
    for (const unsigned count : row) {
      if (count > kMostCount)
        throw UserError(fmt::format("all_to_all_v: {} chunks, at most {}", count, kMostCount));
    }
  }
  if (most_chunks() == 0) throw UserError("all_to_all_v: nobody sends anything");
}

bool Problem::in_place() const {
  return operation != Operation::kAllToAll && operation != Operation::kAllToAllV &&
         operation != Operation::kPermute;
}

unsigned Problem::parts() const {
  return operation == Operation::kAllGather || operation == Operation::kReduceScatter ||
                 operation == Operation::kAllToAll
             ? ranks
             : 1;
}

bool Problem::reduces() const {
  return operation == Operation::kAllReduce || operation == Operation::kReduceScatter;
}

unsigned Problem::sent(unsigned rank) const {
  return input_at(rank, ranks);
}

unsigned Problem::got(unsigned rank) const {
  return output_at(ranks, rank);
}

unsigned Problem::input_at(unsigned source, unsigned target) const {
  const auto& row = counts[source];
  return std::accumulate(row.begin(), row.begin() + target, 0U);
}

unsigned Problem::output_at(unsigned source, unsigned target) const {
  unsigned at = 0;
  for (unsigned before = 0; before < source; ++before) at += counts[before][target];
  return at;
}

unsigned Problem::most_chunks() const {
  unsigned most = 0;
  for (unsigned rank = 0; rank < ranks; ++rank) most = std::max({most, sent(rank), got(rank)});
  return most;
}

std::vector<std::vector<unsigned>> routed_counts(unsigned ranks, unsigned tokens, double hot,
                                                 std::uint64_t seed) {
  std::vector<std::vector<unsigned>> counts(ranks, std::vector<unsigned>(ranks));
  std::mt19937_64 random(seed);
  for (auto& row : counts) {
    for (unsigned token = 0; token < tokens; ++token) {
      // Not the distributions of the standard library, whose values it does not define.
      const double at = static_cast<double>(random() >> 11) * 0x1p-53 * (ranks - 1 + hot);
      ++row[at < hot ? 0 : std::min(static_cast<unsigned>(at - hot) + 1, ranks - 1)];
    }
  }
  return counts;
}

std::vector<unsigned> next_of_each(unsigned ranks) {
  std::vector<unsigned> to(ranks);
  for (unsigned rank = 0; rank < ranks; ++rank) to[rank] = (rank + 1) % ranks;
  return to;
}

}  // namespace tern::collectives
