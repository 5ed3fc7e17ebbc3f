// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
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

TEST_CASE(
    "thread team: tasks are done when they are finished, in any order, beside shared pieces") {
  for (const unsigned threads : {1u, 2u, 4u}) {
    CAPTURE(threads);
    ThreadTeam team(threads);
    for (unsigned round = 0; round < 200; ++round) {
      std::vector<unsigned> results(9, 0);
      std::vector<std::shared_ptr<ThreadTeam::Task>> tasks;
      for (unsigned i = 0; i < results.size(); ++i)
        tasks.push_back(team.start([&results, i] { results[i] = i + 1; }));
      std::atomic<std::uint32_t> sum{0};
      team.run(5, [&](std::uint32_t piece) { sum += piece; });
      REQUIRE(sum == 10);
      for (unsigned i = 0; i < results.size(); ++i) {
        const unsigned one = (i * 4 + round) % 9;
        team.finish(*tasks[one]);
        REQUIRE(results[one] == one + 1);
      }
    }
  }
}

TEST_CASE("thread team: what a task throws comes out where it is finished") {
  for (const unsigned threads : {1u, 3u}) {
    ThreadTeam team(threads);
    const auto bad = team.start([] { throw std::runtime_error("a task"); });
    const auto good = team.start([] {});
    CHECK_NOTHROW(team.finish(*good));
    CHECK_THROWS_WITH(team.finish(*bad), "a task");
  }
}

TEST_CASE("thread team: a task that nobody finishes does not outlive the team") {
  std::atomic<unsigned> begun{0}, ended{0};
  {
    ThreadTeam team(3);
    for (unsigned i = 0; i < 20; ++i) {
      (void)team.start([&] {
        ++begun;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        ++ended;
      });
    }
  }
  CHECK(begun == ended);
}

TEST_CASE("thread team: one that never had work for two ends") {
  ThreadTeam team(4);
  unsigned runs = 0;
  team.run(0, [&](std::uint32_t) { ++runs; });
  team.run(1, [&](std::uint32_t) { ++runs; });
  CHECK(runs == 1);
  CHECK(tern::base::usable_processors() >= 1);
}
