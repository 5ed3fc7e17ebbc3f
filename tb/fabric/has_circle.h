// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace tern::tb {

// Whether following `next` from anywhere comes back: numbers that nobody leads to are taken away
// until none is left, or only circles.
template <typename Number>
bool has_circle(const std::vector<std::set<Number>>& next) {
  std::vector<unsigned> waits(next.size());
  for (const auto& list : next) {
    for (const Number to : list) ++waits[to];
  }
  std::vector<std::size_t> free;
  for (std::size_t n = 0; n < next.size(); ++n) {
    if (waits[n] == 0) free.push_back(n);
  }
  std::size_t removed = 0;
  for (; !free.empty(); ++removed) {
    const std::size_t at = free.back();
    free.pop_back();
    for (const Number to : next[at]) {
      if (--waits[to] == 0) free.push_back(to);
    }
  }
  return removed < next.size();
}

}  // namespace tern::tb
