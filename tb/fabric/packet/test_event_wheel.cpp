// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <tuple>

#include "systemc/fabric/packet/event_wheel.h"
#include "tb/common/seed.h"

namespace tern::tb {

using fabric::packet::Event;
using fabric::packet::EventWheel;

TEST_CASE("fabric packet: events come in order of time and key") {
  CAPTURE(test_seed());
  std::mt19937_64 random(test_seed());
  for (unsigned round = 0; round < 200; ++round) {
    EventWheel wheel;
    std::multiset<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> expected;
    std::uint64_t now = 0;
    std::uint32_t item = 0;
    // Reaches from one slot to many turns of the wheel.
    const std::uint64_t reach = std::uint64_t{1} << (10 + random() % 30);
    for (unsigned step = 0; step < 1000; ++step) {
      if (expected.empty() || random() % 2 == 0) {
        const Event event = {now + random() % reach, random() % 16, item++};
        wheel.push(event);
        expected.insert({event.time, event.key, event.item});
      } else {
        REQUIRE(wheel.next_time() == std::get<0>(*expected.begin()));
        const Event event = wheel.pop();
        now = event.time;
        REQUIRE(event.key == std::get<1>(*expected.begin()));
        // Items of one time and key may come in any order.
        const auto found = expected.find({event.time, event.key, event.item});
        REQUIRE(found != expected.end());
        expected.erase(found);
      }
    }
    while (!expected.empty()) {
      const Event event = wheel.pop();
      REQUIRE(event.time == std::get<0>(*expected.begin()));
      expected.erase(expected.find({event.time, event.key, event.item}));
    }
    REQUIRE(wheel.next_time() == fabric::kNever);
  }
}

}  // namespace tern::tb
