// SPDX-License-Identifier: Apache-2.0
// How long channels are busy and how long they wait for credits, with faults and without. A train
// of 4 KiB is 16 packets of 272 bytes in flits of 256 for 236: 73.763 ns on 8 lanes of 8 GB/s.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "systemc/fabric/levels/channel_activity.h"
#include "systemc/fabric/levels/levels.h"
#include "systemc/fabric/packet/packet_network.h"
#include "systemc/fabric/traffic/traffic_run.h"
#include "tb/fabric/faults/broken_system.h"

namespace tern::tb {

using fabric::ChannelActivity;
using fabric::Time;
using fabric::Traffic;
using fabric::Transfer;

namespace {

constexpr double kTrain = 16.0 * (256 + 16) * 256 / 236 / 64;  // ns
constexpr double kUs = 1e9;                                    // fs

double ns(Time time) {
  return static_cast<double>(time) / 1e6;
}

struct Result {
  fabric::TrafficResult traffic;
  ChannelActivity activity;
};

Result result_of(const std::string& level, const system::Fabric& fabric, const std::string& script,
                 const std::vector<Transfer>& transfers) {
  fabric::faults::FaultState state = state_of(script, fabric);
  const auto transport = fabric::make_transport(level, state);
  Result result;
  result.traffic = fabric::run_traffic(*transport, transfers);
  result.activity = fabric::channel_activity(*transport);
  return result;
}

std::string fault(const std::string& what, double at_us) {
  return "  - {at_us: " + std::to_string(at_us) +
         ", link: rack0.tray0.chip0--rack0.tray0.chip1, fault: " + what + "}\n";
}

const std::string kNever = "  - {at_us: 999999, fault: dead_chip, chip: rack0.tray0.chip0}\n";

}  // namespace

TEST_CASE("activity: a sound system's channels are busy with what crosses them") {
  for (const std::string& name : system::system_names()) {
    INFO(name);
    const system::Fabric fabric(system::load_system(name));
    Traffic traffic;
    traffic.pattern = "uniform";
    traffic.bytes = 10'000;
    const std::vector<Transfer> transfers = fabric::transfers_of(traffic, fabric);
    const auto routes = fabric::packet::routes_of(fabric);
    const std::vector<Time> expected =
        fabric::channel_times(fabric::packet::shape_of(fabric, routes->vcs()), *routes, transfers);
    for (const char* level : {"packet", "flow"}) {
      INFO(level);
      const auto transport = fabric::make_transport(level, fabric);
      fabric::run_traffic(*transport, transfers);
      const ChannelActivity activity = fabric::channel_activity(*transport);
      REQUIRE(activity.busy.size() == expected.size());
      double worst = 0;
      for (std::size_t c = 0; c < expected.size(); ++c) {
        REQUIRE((expected[c] == 0) == (activity.busy[c] == 0));
        if (expected[c] > 0)
          worst = std::max(worst, std::abs(ns(activity.busy[c]) / ns(expected[c]) - 1));
      }
      CHECK(worst < (level == std::string("packet") ? 1e-6 : 0.05));
    }
  }
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  CHECK(fabric::channel_activity(*fabric::make_transport("ideal", fabric)).busy.empty());
  CHECK(fabric::channel_activity(*fabric::make_transport("flow", fabric)).stalled.empty());
}

TEST_CASE("activity: the times of a link with faults, by hand") {
  const system::Fabric fabric = two_chips();
  const std::vector<Transfer> one = {{0, 1, 100 * 4096, 3, 0, 0}};
  for (const char* level : {"packet", "flow"}) {
    INFO(level);
    const Result sound = result_of(level, fabric, kNever, one);
    REQUIRE(sound.activity.busy.size() == 2);
    CHECK(ns(sound.activity.busy[0]) == Approx(100 * kTrain).epsilon(1e-3));
    CHECK(sound.activity.busy[1] == 0);
    // Half of the lanes from the beginning: twice the time.
    const Result narrow = result_of(level, fabric, fault("lane_loss, lanes: 4", 0), one);
    CHECK(ns(narrow.activity.busy[0]) == Approx(200 * kTrain).epsilon(1e-3));
    // Half of them after half of the bytes.
    const Result later =
        result_of(level, fabric, fault("lane_loss, lanes: 4", 50 * kTrain * 1e-3), one);
    CHECK(ns(later.activity.busy[0]) == Approx(150 * kTrain).epsilon(0.02));
    // While it flaps it carries nothing: what was on it goes again.
    const Result flap =
        result_of(level, fabric, fault("flap, for_us: 5, train_us: 5", 50 * kTrain * 1e-3), one);
    CHECK(ns(flap.activity.busy[0]) == Approx(100 * kTrain).epsilon(0.03));
    CHECK(flap.traffic.time > 10 * kUs + 100 * kTrain * 1e6);
    // Bits are wrong: the link repeats what was lost.
    const Result errors = result_of(level, fabric, fault("bit_errors, rate: 1e-5", 0), one);
    CHECK(errors.activity.busy[0] > sound.activity.busy[0]);
    CHECK(errors.activity.busy[0] <= errors.traffic.time);
  }
}

TEST_CASE("activity: around a dead link, the links of the detour are busy instead") {
  const system::Fabric fabric = ring_of_four();
  const std::vector<Transfer> one = {{0, 1, 100 * 4096, 3, 0, 0}};
  for (const char* level : {"packet", "flow"}) {
    INFO(level);
    const Result r = result_of(level, fabric, fault("dead_link", 0), one);
    CHECK(r.traffic.lost == 0);
    std::vector<Time> busy = r.activity.busy;
    std::sort(busy.rbegin(), busy.rend());
    for (int hop = 0; hop < 3; ++hop) CHECK(ns(busy[hop]) == Approx(100 * kTrain).epsilon(1e-3));
    CHECK(busy[3] == 0);
  }
}

// One switch is out for a third of the time, with data in chips that waits for its credits.
TEST_CASE("activity: a channel does not wait for credits while it is out of service") {
  const system::Fabric fabric(system::load_system("trn3-nl32x2-gen1"));
  Traffic traffic;
  traffic.pattern = "incast";
  traffic.bytes = 1 << 18;
  traffic.streams = 8;
  const double out_us = 10;
  const auto r = result_of(
      "packet", fabric,
      "  - {at_us: 2, fault: hot_swap, switch: rack1.plane0.switch7, for_us: 9, train_us: 1}\n",
      fabric::transfers_of(traffic, fabric));
  const double all_us = ns(r.traffic.time) * 1e-3;
  REQUIRE(all_us > out_us + 2);
  const std::uint32_t node = *fabric.find("rack1.plane0.switch7");
  unsigned stalled = 0;
  for (std::uint32_t c = 0; c < r.activity.busy.size(); ++c) {
    CHECK(r.activity.stalled[c] + r.activity.busy[c] <= r.traffic.time);
    const system::Link& link = fabric.links()[c / 2];
    if (link.a != node && link.b != node) continue;
    stalled += r.activity.stalled[c] > 0;
    CHECK(ns(r.activity.stalled[c] + r.activity.busy[c]) * 1e-3 <= all_us - out_us + 1);
  }
  CHECK(stalled > 0);
}

}  // namespace tern::tb
