// SPDX-License-Identifier: Apache-2.0
// Numbers of flows that share blocks, against plain lists.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <vector>

#include "sw/collectives/known.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file

namespace {

std::vector<std::uint32_t> list_of(const collectives::Known& known, std::size_t flows) {
  std::vector<std::uint32_t> list;
  for (std::size_t f = 0; f < flows; ++f) list.push_back(known[f]);
  return list;
}

}  // namespace

TEST_CASE("known: random copies, joins and numbers, as plain lists have them") {
  std::mt19937 random(tb::test_seed());
  constexpr std::size_t kFlows = 300, kSets = 12;
  std::uint64_t used = 0;
  {
    std::vector<std::unique_ptr<collectives::Known>> sets;
    std::vector<std::vector<std::uint32_t>> lists(kSets, std::vector<std::uint32_t>(kFlows));
    for (std::size_t s = 0; s < kSets; ++s)
      sets.push_back(std::make_unique<collectives::Known>(kFlows, &used));
    for (unsigned change = 0; change < 4000; ++change) {
      const std::size_t a = random() % kSets, b = random() % kSets;
      switch (random() % 4) {
        case 0:
          sets[a] = std::make_unique<collectives::Known>(*sets[b]);
          lists[a] = lists[b];
          break;
        case 1:
          sets[a]->join(*sets[b]);
          for (std::size_t f = 0; f < kFlows; ++f) lists[a][f] = std::max(lists[a][f], lists[b][f]);
          break;
        default: {
          const std::size_t flow = random() % kFlows;
          const std::uint32_t number = random() % 1000;
          sets[a]->raise(flow, number);
          lists[a][flow] = std::max(lists[a][flow], number);
        }
      }
      REQUIRE(list_of(*sets[a], kFlows) == lists[a]);
    }
    for (std::size_t s = 0; s < kSets; ++s) REQUIRE(list_of(*sets[s], kFlows) == lists[s]);
    CHECK(used > 0);
  }
  CHECK(used == 0);
}

TEST_CASE("known: copies that are alike cost little") {
  constexpr std::size_t kFlows = 64000;
  std::uint64_t used = 0;
  collectives::Known first(kFlows, &used);
  for (std::size_t f = 0; f < kFlows; ++f) first.raise(f, 1);
  const std::uint64_t one = used;
  CHECK(one > 4 * kFlows);
  const collectives::Known second(first);
  CHECK(used < one + kFlows / 2);
}
