// SPDX-License-Identifier: Apache-2.0
// Which waits are left out, and that a planner may forget what nothing waits for any more.
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "sw/kernels/builder/program/waits.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file
using kernels::Event;
using kernels::WaitPlanner;

namespace {

bool same(const std::vector<Event>& a, const std::vector<Event>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].semaphore != b[i].semaphore || a[i].value != b[i].value) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("waits: what another wait implies is left out") {
  WaitPlanner waits;
  waits.announce(0, {1, 1});
  CHECK(waits.reduce(1, {{1, 1}}).size() == 1);
  CHECK(waits.reduce(1, {{1, 1}}).empty());
  waits.announce(1, {2, 1});  // after {1, 1}
  CHECK(same(waits.reduce(2, {{1, 1}, {2, 1}}), {{2, 1}}));
}

TEST_CASE("waits: an event that was forgotten implies nothing, also not what a later one does") {
  WaitPlanner waits;
  waits.announce(0, {1, 1});
  waits.announce(1, {2, 1});
  (void)waits.reduce(1, {{1, 1}});
  waits.announce(1, {2, 2});
  waits.forget_all_but({});
  CHECK(waits.kept() == 2);  // the newest of each semaphore
  CHECK(waits.reduce(2, {{2, 1}, {1, 1}}).size() == 2);
  CHECK(same(waits.reduce(3, {{1, 1}, {2, 2}}), {{2, 2}}));
}

TEST_CASE("waits: the same with and without forgetting, as long as what is needed is kept") {
  std::mt19937_64 random(tb::test_seed());
  constexpr unsigned kQueues = 4, kTiles = 12;
  for (unsigned round = 0; round < 20; ++round) {
    WaitPlanner all, some;
    std::array<std::uint32_t, kQueues> progress{};
    std::vector<Event> written(kTiles, Event{1, 0});
    std::size_t most = 0;
    for (unsigned n = 0; n < 2000; ++n) {
      const auto queue = static_cast<unsigned>(random() % kQueues);
      std::vector<Event> needs;
      for (unsigned i = 0; i < 3; ++i) needs.push_back(written[random() % kTiles]);
      const auto expected = all.reduce(queue, needs);
      REQUIRE(same(some.reduce(queue, needs), expected));
      const Event done{1 + queue, ++progress[queue]};
      all.announce(queue, done);
      some.announce(queue, done);
      written[random() % kTiles] = done;
      if (random() % 50 == 0) some.forget_all_but(written);
      most = std::max(most, some.kept());
    }
    CHECK(all.kept() == 2000);
    CHECK(most < 800);
  }
}
