// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sw/base/user_error.h"
#include "systemc/fabric/traffic/pattern.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file
using fabric::Traffic;
using fabric::Transfer;

namespace {

std::vector<Transfer> sent(const std::string& pattern, const char* name, Traffic traffic = {}) {
  traffic.pattern = pattern;
  return fabric::transfers_of(traffic, system::Fabric(system::load_system(name)));
}

std::map<std::uint32_t, std::uint32_t> targets(const std::vector<Transfer>& transfers) {
  std::map<std::uint32_t, std::uint32_t> to;
  for (const Transfer& t : transfers) to[t.source] = t.target;
  return to;
}

}  // namespace

TEST_CASE("traffic: every pattern by its definition, on sixteen chips") {
  const char* name = "trn2-nl16";
  std::set<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const Transfer& t : sent("all-to-all", name)) {
    CHECK(t.source != t.target);
    CHECK(all.insert({t.source, t.target}).second);
  }
  CHECK(all.size() == 16 * 15);
  for (const auto& [from, to] : targets(sent("ring", name))) CHECK(to == (from + 1) % 16);
  for (const auto& [from, to] : targets(sent("tornado", name))) CHECK(to == (from + 7) % 16);
  for (const auto& [from, to] : targets(sent("transpose", name))) {
    CHECK(to % 4 == from / 4);
    CHECK(to / 4 == from % 4);
  }
  // Four links of a chip in a 4x4 torus.
  CHECK(sent("neighbours", name).size() == 16 * 4);
  CHECK(sent("incast", name).size() == 15);
  Traffic pair;
  pair.from = 3;
  pair.to = 9;
  CHECK(targets(sent("pair", name, pair)) == std::map<std::uint32_t, std::uint32_t>{{3, 9}});
}

TEST_CASE("traffic: seeds repeat, a permutation has every target once") {
  Traffic traffic;
  traffic.seed = tb::test_seed();
  const auto once = sent("permutation", "trn3-nl32x2-gen1", traffic);
  std::set<std::uint32_t> to;
  for (const Transfer& t : once) CHECK(to.insert(t.target).second);
  CHECK(targets(once) == targets(sent("permutation", "trn3-nl32x2-gen1", traffic)));
  traffic.targets = 100;  // more than there are chips: no pair twice
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Transfer& t : sent("uniform", "trn2-nl16", traffic))
    CHECK(pairs.insert({t.source, t.target}).second);
}

TEST_CASE("traffic: streams divide the bytes without a rest") {
  Traffic traffic;
  traffic.bytes = 1000;
  traffic.streams = 7;
  std::uint64_t bytes = 0;
  std::set<std::uint32_t> streams;
  for (const Transfer& t : sent("pair", "trn2-nl16", traffic)) {
    bytes += t.bytes;
    streams.insert(t.stream);
  }
  CHECK(bytes == 1000);
  CHECK(streams.size() == 7);
}

TEST_CASE("traffic: what does not suit the system is refused") {
  CHECK_THROWS_WITH(sent("transpose", "inf2"),
                    Catch::Contains("expected a square number of chips"));
  CHECK_THROWS_WITH(sent("spiral", "inf2"), Catch::Contains("expected one of"));
  Traffic many;
  many.streams = 1'000'000;
  CHECK_THROWS_WITH(sent("all-to-all", "trn2-nl64", many),
                    Catch::Contains("at most 20000000 transfers"));
}
