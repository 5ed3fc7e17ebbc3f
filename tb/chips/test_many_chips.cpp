// SPDX-License-Identifier: Apache-2.0
// As many chips as an UltraServer has, all of them whole.
#include <catch2/catch.hpp>
#include <random>

#include "tb/chips/chips_bench.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file
using tb::ChipsBench;
using tb::sums;
using tb::Values;

TEST_CASE("chips: sixty-four add up, sixteen others at a time") {
  ChipsBench bench("trn2-nl64", 64);
  bench.simulation.run([&] {
    constexpr unsigned kParts = 64, kColumns = 16;
    std::vector<std::pair<unsigned, unsigned>> places;
    for (unsigned chip = 0; chip < kParts; ++chip) places.emplace_back(chip, 0);
    std::mt19937 random(tb::test_seed());
    std::vector<Values> x(kParts, Values(128 * kColumns));
    for (Values& values : x) {
      for (float& v : values)
        v = static_cast<float>(static_cast<int>(random() % 2000001) - 1000000) / 3.0f;
    }
    const std::vector<Values> got = sums(bench, places, x, true);
    for (unsigned i = 0; i < x[0].size(); ++i) {
      const unsigned owner = i / kColumns / 2;  // of two partitions
      const auto of = [&](unsigned n) { return x[(owner + n) % kParts][i]; };
      float want = of(0);
      for (const auto& [first, last] : {std::pair(1U, 16U), {17U, 32U}, {33U, 48U}, {49U, 63U}}) {
        float others = of(first);
        for (unsigned n = first + 1; n <= last; ++n) others = others + of(n);
        want = want + others;
      }
      for (const Values& y : got) REQUIRE(y[i] == want);
    }
  });
}
