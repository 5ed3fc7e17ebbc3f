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
        if (growing[c] > 0 && free[c] - step * growing[c] < 1e-9) stopped[f] = true;
      }
    }
  }
}

std::vector<double> shared(const std::vector<double>& capacity, const Paths& paths) {
  fabric::flow::MaxMin max_min(capacity, 1);
  std::vector<std::uint32_t> flows;
  for (const auto& path : paths) flows.push_back(max_min.add(0, path));
  max_min.share();
  std::vector<double> rates;
  for (const std::uint32_t flow : flows) rates.push_back(max_min.rate(flow));
  return rates;
}

Paths random_paths(std::mt19937* random, unsigned channels, unsigned flows) {
  Paths paths(flows);
  for (auto& path : paths) {
    std::vector<bool> taken(channels);
    for (unsigned hop = 1 + (*random)() % 5; hop > 0; --hop) {
      const unsigned c = (*random)() % channels;
      if (!taken[c]) path.push_back(c);
      taken[c] = true;
    }
  }
  return paths;
}

std::vector<double> random_capacity(std::mt19937* random, unsigned channels) {
  std::vector<double> capacity(channels);
  for (double& c : capacity) c = 1 + (*random)() % 8;
  return capacity;
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
    const std::vector<double> capacity = random_capacity(&random, channels);
    const Paths paths = random_paths(&random, channels, flows);
    const auto got = shared(capacity, paths), want = water(capacity, paths);
    for (unsigned f = 0; f < flows; ++f) REQUIRE(got[f] == Approx(want[f]).epsilon(1e-6));
  }
}

TEST_CASE("max-min: flows that come and go, of two classes") {
  std::mt19937 random(tb::test_seed());
  for (unsigned round = 0; round < 50; ++round) {
    const unsigned channels = 1 + random() % 20;
    const std::vector<double> capacity = random_capacity(&random, channels);
    fabric::flow::MaxMin max_min(capacity, 2);
    struct Flow {
      unsigned traffic_class;
      std::vector<std::uint32_t> path;
      std::uint32_t number;
    };
    std::vector<Flow> flows;
    for (unsigned change = 0; change < 60; ++change) {
      if (!flows.empty() && random() % 5 < 2) {
        const auto gone = flows.begin() + static_cast<long>(random() % flows.size());
        max_min.remove(gone->number);
        flows.erase(gone);
      } else {
        const unsigned traffic_class = random() % 2;
        const std::vector<std::uint32_t> path = random_paths(&random, channels, 1).front();
        flows.push_back({traffic_class, path, max_min.add(traffic_class, path)});
      }
      if (random() % 4 != 0) continue;
      max_min.share();
      // The second class gets what the first one has left.
      std::vector<double> left = capacity;
      for (const unsigned traffic_class : {0U, 1U}) {
        Paths paths;
        std::vector<double> got;
        for (const Flow& flow : flows) {
          if (flow.traffic_class != traffic_class) continue;
          paths.push_back(flow.path);
          got.push_back(max_min.rate(flow.number));
        }
        const std::vector<double> want = water(left, paths);
        for (std::size_t f = 0; f < paths.size(); ++f) {
          REQUIRE(got[f] == Approx(want[f]).epsilon(1e-6).margin(1e-9));
          for (const std::uint32_t c : paths[f]) left[c] = std::max(0.0, left[c] - want[f]);
        }
      }
    }
  }
}
