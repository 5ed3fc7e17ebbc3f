// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <utility>

#include "systemc/noc/event_queue.h"
#include "tb/common/seed.h"

using namespace tern;

TEST_CASE("event queue: order of time, then of number, near and far") {
  std::mt19937_64 random(tb::test_seed());
  noc::EventQueue queue;
  std::set<std::pair<std::uint64_t, std::uint64_t>> expected;
  CHECK(queue.next_time() == UINT64_MAX);
  std::uint64_t now = 0, order = 0;
  for (unsigned step = 0; step < 400'000; ++step) {
    // It fills up, runs empty, fills up again.
    const bool grows = step / 1000 % 3 != 2;
    if (expected.empty() || random() % 8 < (grows ? 5 : 2)) {
      std::uint64_t time = now;
      switch (random() % 8) {
        case 0:
          break;  // this instant
        case 1:
          time += random() % 10'000'000'000;  // beyond the wheel: 10 us
          break;
        case 2:
          time -= std::min<std::uint64_t>(now, random() % 1'000'000);  // before what was taken
          break;
        case 3:
          time = now / 1'666'666 * 1'666'666 + 5'000'000;  // many at once
          break;
        default:
          time += random() % 200'000'000;
      }
      const std::uint64_t number = random() % 4 << 44 | order++;
      queue.push({time, number, nullptr});
      expected.insert({time, number});
    } else {
      const noc::Event event = queue.pop();
      REQUIRE(std::pair(event.time, event.order) == *expected.begin());
      expected.erase(expected.begin());
      now = event.time;
    }
    REQUIRE(queue.next_time() == (expected.empty() ? UINT64_MAX : expected.begin()->first));
    if (!expected.empty()) REQUIRE(queue.front().order == expected.begin()->second);
  }
  for (; !expected.empty(); expected.erase(expected.begin())) {
    const noc::Event event = queue.pop();
    REQUIRE(std::pair(event.time, event.order) == *expected.begin());
  }
  CHECK(queue.next_time() == UINT64_MAX);
}
