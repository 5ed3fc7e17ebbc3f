// SPDX-License-Identifier: Apache-2.0
// The packet level under more load than it can carry.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <tuple>

#include "tb/common/seed.h"
#include "tb/fabric/packet/star.h"

namespace tern::tb {
namespace {

using fabric::Delivery;
using fabric::kNever;
using fabric::Time;
using fabric::Transfer;
using fabric::packet::PacketNetwork;

}  // namespace

TEST_CASE("fabric packet: saturated presets drain, in order, nothing lost or twice") {
  CAPTURE(test_seed());
  for (const std::string& name : system::system_names()) {
    CAPTURE(name);
    // Buffers of one train: blocked queues everywhere.
    system::SystemConfig config = system::load_system(name);
    config.link.buffer_bytes_per_lane = 1;
    const system::Fabric fabric(std::move(config));
    PacketNetwork network(fabric);
    std::mt19937_64 random(test_seed());
    const std::uint32_t chips = fabric.chips();
    std::uint64_t sent = 0;
    for (std::uint32_t source = 0; source < chips; ++source) {
      for (unsigned n = 0; n < (chips > 200 ? 40 : 100); ++n) {
        Transfer t;
        t.source = source;
        // A third of it to one chip.
        t.target = random() % 3 == 0 ? chips / 2 : static_cast<std::uint32_t>(random() % chips);
        if (t.target == source) t.target = (source + 1) % chips;
        t.bytes = random() % 4 == 0 ? random() % 64 : random() % 20000;
        t.traffic_class = static_cast<std::uint8_t>(random() % 4);
        t.stream = static_cast<std::uint32_t>(random() % 2);
        t.tag = sent++;
        network.send(t, random() % 1'000'000'000);
      }
    }
    std::vector<Delivery> arrived;
    network.advance(kNever - 1, arrived);
    REQUIRE(network.idle());
    REQUIRE(arrived.size() == sent);
    std::vector<bool> seen(sent);
    std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned, std::uint32_t>,
             std::pair<Time, std::uint64_t>>
        last;
    for (const Delivery& d : arrived) {
      const Transfer& t = d.transfer;
      REQUIRE_FALSE(d.lost);
      REQUIRE_FALSE(seen[t.tag]);
      seen[t.tag] = true;
      auto& before = last[{t.source, t.target, t.traffic_class, t.stream}];
      REQUIRE(std::pair{d.sent, t.tag} >= before);
      before = {d.sent, t.tag};
    }
  }
}

// Karol, Hluchyj and Morgan, Input versus output queueing (1987), table I: what a switch with one
// queue for each input carries when every input always has a train, its target uniform.
TEST_CASE("fabric packet: head-of-line blocking has the published throughput") {
  CAPTURE(test_seed());
  struct Row {
    std::uint32_t ports;
    double throughput;
  };
  for (const Row& row : {Row{2, 0.75}, Row{4, 0.6553}, Row{8, 0.6184}}) {
    CAPTURE(row.ports);
    // Chips below `ports` send, those above receive. A link into the switch takes no time, so that
    // the switch soon has everything in its queues.
    constexpr std::uint32_t kTrains = 8000;
    fabric::packet::Shape shape = star(2 * row.ports, 1024, kTrains * 1024);
    for (fabric::packet::Channel& c : shape.channels) {
      if (c.to == 2 * row.ports) c.byte_fs = 0;
    }
    PacketNetwork network(std::move(shape), std::make_unique<StarRoutes>());
    std::mt19937_64 random(test_seed());
    for (std::uint32_t source = 0; source < row.ports; ++source) {
      for (std::uint32_t n = 0; n < kTrains; ++n) {
        Transfer t;
        t.source = source;
        t.target = row.ports + static_cast<std::uint32_t>(random() % row.ports);
        t.stream = n;  // the order of calls, not a turn for each target
        t.bytes = 1024;
        network.send(t, n * 1000);
      }
    }
    std::vector<Delivery> arrived;
    // Half of the time that all of it takes: the queues are still full.
    const auto until = static_cast<Time>(kTrains / row.throughput / 2 * 1024 * 1000);
    network.advance(until, arrived);
    const double rate = static_cast<double>(arrived.size()) * 1024 * 1000 /
                        static_cast<double>(until - 120'000'000) / row.ports;
    CHECK(rate == Approx(row.throughput).epsilon(0.02));
  }
}

}  // namespace tern::tb
