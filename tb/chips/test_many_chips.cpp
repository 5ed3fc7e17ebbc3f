// SPDX-License-Identifier: Apache-2.0
// As many chips as an UltraServer has, all of them whole.
#include <catch2/catch.hpp>

#include "tb/chips/chips_bench.h"

using namespace tern;  // NOLINT: test file
using tb::ChipsBench;
using tb::sums;
using tb::Values;

TEST_CASE("chips: sixty-four add up") {
  ChipsBench bench("trn2-nl64", 64);
  bench.simulation.run([&] {
    constexpr unsigned kParts = 64, kColumns = 16;
    std::vector<std::pair<unsigned, unsigned>> places;
    for (unsigned chip = 0; chip < kParts; ++chip) places.emplace_back(chip, 0);
    std::vector<Values> x(kParts, Values(128 * kColumns));
    for (unsigned part = 0; part < kParts; ++part) {
      for (unsigned i = 0; i < x[part].size(); ++i)
        x[part][i] = static_cast<float>((part + 1) * (i % 97));
    }
    const std::vector<Values> got = sums(bench, places, x, true);
    constexpr unsigned kSum = kParts * (kParts + 1) / 2;
    for (const Values& y : got) {
      for (unsigned i = 0; i < y.size(); ++i) REQUIRE(y[i] == static_cast<float>(kSum * (i % 97)));
    }
  });
}
