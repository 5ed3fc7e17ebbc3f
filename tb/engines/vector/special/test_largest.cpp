// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "systemc/engines/vector/special/largest.h"
#include "tb/common/seed.h"
#include "tb/engines/vector/special/oracle.h"

using namespace tern;
using numerics::bits_of;

TEST_CASE("max8: the head of a full sort") {
  std::mt19937_64 random(tb::test_seed());
  for (std::size_t count : {8u, 9u, 100u, 16384u}) {
    std::vector<float> row = tb::row_with_equals(random, count), sorted = row;
    std::sort(sorted.begin(), sorted.end(),
              [](float a, float b) { return tb::rank(a) > tb::rank(b); });
    float result[8];
    largest8(row.data(), count, result);
    for (unsigned i = 0; i < 8; ++i) CHECK(bits_of(result[i]) == bits_of(sorted[i]));
  }
}

TEST_CASE("find_index8: equal values get ascending indices, absent ones all ones") {
  std::mt19937_64 random(tb::test_seed());
  for (unsigned turn = 0; turn < 200; ++turn) {
    const std::vector<float> row = tb::row_with_equals(random, 8 + random() % 60);
    std::vector<float> sought = tb::row_with_equals(random, 8);
    sought[turn % 8] = 1e6f;  // absent
    std::uint32_t indices[8];
    find_index8(row.data(), row.size(), sought.data(), indices);
    for (unsigned j = 0; j < 8; ++j) {
      const auto same = [&](float x) {
        return x == sought[j] || (std::isnan(x) && std::isnan(sought[j]));
      };
      // All positions of the value; the index in them is the number of equal values searched before
      // it.
      std::vector<std::uint32_t> places;
      for (std::uint32_t i = 0; i < row.size(); ++i) {
        if (same(row[i])) places.push_back(i);
      }
      const auto turn_of_j =
          static_cast<std::size_t>(std::count_if(sought.begin(), sought.begin() + j, same));
      CHECK(indices[j] == (turn_of_j < places.size() ? places[turn_of_j] : 0xFFFFFFFF));
    }
  }
}

TEST_CASE("match_replace8: takes the eight largest away") {
  std::mt19937_64 random(tb::test_seed());
  std::vector<float> row = tb::row_with_equals(random, 500), sorted = row;
  std::sort(sorted.begin(), sorted.end(),
            [](float a, float b) { return tb::rank(a) > tb::rank(b); });
  for (unsigned turn = 0; turn < 20; ++turn) {
    float largest[8];
    largest8(row.data(), row.size(), largest);
    for (unsigned i = 0; i < 8; ++i) {
      CHECK(tb::rank(largest[i]) == Approx(tb::rank(sorted[8 * turn + i])).margin(1e-200));
    }
    match_replace8(row.data(), row.size(), largest, -INFINITY);
  }
}

TEST_CASE("match_replace8: hand numbers") {
  std::vector<float> row = {5, 1, 5, 2, 0.0f, 7, 5, 9};
  // 5 twice; -0 matches +0; 3 is absent; the search for 4 finds the replaced 7 (now 4).
  const float sought[] = {5, 5, -0.0f, 3, 7, 4, 8, 8};
  match_replace8(row.data(), row.size(), sought, 4);
  CHECK(row == std::vector<float>{4, 1, 4, 2, 4, 4, 5, 9});
}

TEST_CASE("topk: ascending, of equal values the first ones") {
  std::mt19937_64 random(tb::test_seed());
  for (unsigned turn = 0; turn < 50; ++turn) {
    const std::vector<float> row = tb::row_with_equals(random, 8 + random() % 200);
    const std::size_t k = 1 + random() % row.size();
    std::vector<std::uint32_t> order(row.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return tb::rank(row[a]) > tb::rank(row[b]);
    });
    const std::vector<std::uint32_t> result = largest_ascending(row.data(), row.size(), k);
    REQUIRE(result.size() == k);
    for (std::size_t j = 0; j < k; ++j) CHECK(result[j] == order[k - 1 - j]);
  }
}
