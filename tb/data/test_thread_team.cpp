// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "sw/base/thread_team.h"

using tern::base::ThreadTeam;

TEST_CASE("thread team: each piece runs once, and all are done when the call returns") {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    CAPTURE(threads);
    ThreadTeam team(threads);
    // Calls of all lengths in quick succession: a worker that is late finds the next call.
    for (std::uint32_t call = 0; call < 3000; ++call) {
      const std::uint32_t pieces = call % 17;
      std::vector<std::uint32_t> runs(pieces, 0);
      team.run(pieces, [&](std::uint32_t piece) { ++runs[piece]; });
      REQUIRE(std::count(runs.begin(), runs.end(), 1u) == pieces);
    }
  }
}

TEST_CASE("thread team: workers that have gone to sleep wake up") {
  ThreadTeam team(3);
  for (int call = 0; call < 5; ++call) {
    std::atomic<std::uint32_t> sum{0};
    team.run(100, [&](std::uint32_t piece) { sum += piece; });
    CHECK(sum == 4950);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_CASE("thread team: one that never had work for two ends") {
  ThreadTeam team(4);
  unsigned runs = 0;
  team.run(0, [&](std::uint32_t) { ++runs; });
  team.run(1, [&](std::uint32_t) { ++runs; });
  CHECK(runs == 1);
  CHECK(tern::base::usable_processors() >= 1);
}
