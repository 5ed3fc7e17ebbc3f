// SPDX-License-Identifier: Apache-2.0
// Max-min fair rates against water that rises in all flows at once.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "systemc/fabric/flow/max_min.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file

namespace {

using Paths = std::vector<std::vector<std::uint32_t>>;

// All rates grow alike; the flows of a channel that is full stop growing.
std::vector<double> water(const std::vector<double>& capacity, const Paths& paths) {
  std::vector<double> rates(paths.size());
  std::vector<bool> stopped(paths.size());
  for (;;) {
    double step = std::numeric_limits<double>::infinity();
    std::vector<double> free = capacity;
    std::vector<unsigned> growing(capacity.size());
    for (std::size_t f = 0; f < paths.size(); ++f) {
      for (const auto c : paths[f]) {
        free[c] -= rates[f];
        growing[c] += stopped[f] ? 0 : 1;
      }
    }
    for (std::size_t c = 0; c < capacity.size(); ++c) {
      if (growing[c] > 0) step = std::min(step, free[c] / growing[c]);
    }
    if (std::isinf(step)) return rates;
    for (std::size_t f = 0; f < paths.size(); ++f) {
      if (!stopped[f]) rates[f] += step;
    }
    for (std::size_t f = 0; f < paths.size(); ++f) {
      for (const auto c : paths[f]) {
        if (growing[c] > 0 && free[c] - step * growing[c] < 1e-9 * capacity[c]) stopped[f] = true;
      }
    }
  }
}

std::vector<double> shared(const std::vector<double>& capacity, const Paths& paths) {
  fabric::flow::MaxMin max_min(capacity);
  std::vector<const std::vector<std::uint32_t>*> flows;
  for (const auto& path : paths) flows.push_back(&path);
  std::vector<double> rates;
  max_min.share(flows, &rates);
  return rates;
}

}  // namespace

TEST_CASE("max-min: the textbook's three flows") {
  // Two channels of 1 in a row: a flow over both, one over each; then the second channel of 2.
  CHECK(shared({1, 1}, {{0, 1}, {0}, {1}}) == std::vector<double>{0.5, 0.5, 0.5});
  CHECK(shared({1, 2}, {{0, 1}, {0}, {1}}) == std::vector<double>{0.5, 0.5, 1.5});
}

TEST_CASE("max-min: random paths have the rates of rising water") {
  std::mt19937 random(tb::test_seed());
  for (unsigned round = 0; round < 200; ++round) {
    const unsigned channels = 1 + random() % 30, flows = 1 + random() % 60;
    std::vector<double> capacity(channels);
    for (double& c : capacity) c = 1 + random() % 8;
    Paths paths(flows);
    for (auto& path : paths) {
      std::vector<bool> taken(channels);
      for (unsigned hop = 1 + random() % 5; hop > 0; --hop) {
        const unsigned c = random() % channels;
        if (!taken[c]) path.push_back(c);
        taken[c] = true;
      }
    }
    const auto got = shared(capacity, paths), want = water(capacity, paths);
    for (unsigned f = 0; f < flows; ++f) REQUIRE(got[f] == Approx(want[f]).epsilon(1e-6));
  }
}
