// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/operation.h"

#include <fmt/format.h>

#include "sw/base/user_error.h"

namespace tern::collectives {

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names = {"all_reduce", "all_gather", "reduce_scatter",
                                                 "all_to_all", "broadcast",  "permute",
                                                 "barrier"};
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

bool Problem::in_place() const {
  return operation != Operation::kAllToAll && operation != Operation::kPermute;
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

std::vector<unsigned> next_of_each(unsigned ranks) {
  std::vector<unsigned> to(ranks);
  for (unsigned rank = 0; rank < ranks; ++rank) to[rank] = (rank + 1) % ranks;
  return to;
}

}  // namespace tern::collectives
