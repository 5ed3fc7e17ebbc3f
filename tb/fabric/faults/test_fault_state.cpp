// SPDX-License-Identifier: Apache-2.0
// What is left of a system after faults, worked out by hand.
#include <catch2/catch.hpp>

#include "systemc/link/link_width.h"
#include "tb/fabric/faults/broken_system.h"

namespace tern::tb {

using fabric::faults::FaultState;
using fabric::faults::Observed;

TEST_CASE("link: width after failed lanes is that of ports with the next legal width") {
  using link::width_after;
  CHECK(width_after(8, 0) == 8);
  CHECK(width_after(8, 1) == 4);
  CHECK(width_after(8, 4) == 4);
  CHECK(width_after(8, 5) == 2);
  CHECK(width_after(8, 7) == 1);
  CHECK(width_after(8, 8) == 0);
  CHECK(width_after(12, 0) == 12);
  CHECK(width_after(12, 1) == 8);
  // Four ports of 16: one of them goes to 8, then to nothing.
  CHECK(width_after(64, 1) == 56);
  CHECK(width_after(64, 16) == 48);
  CHECK(width_after(64, 17) == 40);
  CHECK(width_after(20, 18) == 2);
  CHECK(width_after(20, 20) == 0);
}

TEST_CASE("fault state: spare lanes of a chip stand in before a link gets narrower") {
  const system::Fabric fabric = two_switches();
  const std::string first = "link: rack0.tray0.chip0--rack0.plane0.switch0",
                    second = "link: rack0.tray0.chip0--rack0.plane0.switch1";
  FaultState state = state_of("  - {at_us: 0, fault: lane_loss, " + first + ", lanes: 3}\n" +
                                  "  - {at_us: 0, fault: lane_loss, " + second + ", lanes: 3}\n" +
                                  "  - {at_us: 0, fault: lane_loss, " + first + ", lanes: 8}\n" +
                                  "  - {at_us: 0, fault: hot_swap, tray: rack0.tray0, for_us: 1}\n",
                              fabric);
  const std::uint32_t a = state.script().faults[0].links[0], b = state.script().faults[1].links[0];
  // 3 of the chip's 4 spare lanes.
  state.begin(0, 5);
  CHECK(state.lanes(a) == 8);
  CHECK(state.observed(a)[Observed::kSpared] == 3);
  CHECK(state.observed(a)[Observed::kDegraded] == 0);
  // The last one; two lanes are missing.
  state.begin(1, 6);
  CHECK(state.lanes(b) == 4);
  CHECK(state.observed(b)[Observed::kSpared] == 1);
  CHECK(state.observed(b)[Observed::kDegraded] == 1);
  CHECK(state.epoch() == 0);
  // None is left.
  state.begin(2, 7);
  CHECK_FALSE(state.usable(a));
  CHECK(state.observed(a)[Observed::kLinkDown] == 1);
  CHECK(state.epoch() == 1);
  CHECK(state.happened(1) == 6);
  CHECK(state.happened(3) == fabric::kNever);
  // Out, and a new tray with all lanes and spare ones.
  state.begin(3, 8);
  CHECK_FALSE(state.usable(b));
  state.end(3);
  CHECK(state.usable(a));
  CHECK(state.usable(b));
  CHECK(state.lanes(a) == 8);
  CHECK(state.lanes(b) == 8);
  state.begin(0, 9);
  CHECK(state.lanes(a) == 8);
}

TEST_CASE("fault state: overlapping faults of one element") {
  const system::Fabric fabric = two_switches();
  FaultState state = state_of(
      "  - {at_us: 0, fault: hot_swap, switch: rack0.plane0.switch0, for_us: 1}\n"
      "  - {at_us: 0, fault: hot_swap, switch: rack0.plane0.switch0, for_us: 2}\n"
      "  - {at_us: 0, fault: dead_switch, switch: rack0.plane0.switch0}\n"
      "  - {at_us: 0, fault: flap, link: rack0.tray0.chip0--rack0.plane0.switch0, for_us: 1}\n",
      fabric);
  const std::uint32_t link = state.script().faults[3].links[0];
  state.begin(0, 0);
  state.begin(1, 0);
  state.begin(3, 0);
  state.end(0);
  CHECK_FALSE(state.usable(link));
  state.end(1);
  CHECK(state.usable(link));
  CHECK(state.flaps(link));
  state.end(3);
  CHECK_FALSE(state.flaps(link));
  state.begin(2, 0);
  CHECK_FALSE(state.usable(link));
  // Who replaces a dead switch has a new one.
  state.begin(0, 0);
  state.end(0);
  CHECK(state.usable(link));
  CHECK(state.observed(link)[Observed::kLinkDown] == 2);
}

}  // namespace tern::tb
