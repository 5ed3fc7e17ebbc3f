// SPDX-License-Identifier: Apache-2.0
// Times of the packet level, worked out by hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <stdexcept>

#include "systemc/link/link_timing.h"
#include "tb/common/seed.h"
#include "tb/fabric/packet/star.h"

namespace tern::tb {
namespace {

using fabric::Delivery;
using fabric::kNever;
using fabric::Time;
using fabric::Transfer;
using fabric::packet::PacketNetwork;
using system::Medium;

constexpr Time kNs = 1'000'000;

Transfer transfer(std::uint32_t source, std::uint32_t target, std::uint64_t bytes,
                  std::uint8_t traffic_class = 3, std::uint32_t stream = 0) {
  Transfer t;
  t.source = source;
  t.target = target;
  t.bytes = bytes;
  t.traffic_class = traffic_class;
  t.stream = stream;
  return t;
}

std::vector<Delivery> run(PacketNetwork& network) {
  std::vector<Delivery> arrived;
  network.advance(kNever - 1, arrived);
  return arrived;
}

double ns(Time time) {
  return static_cast<double>(time) / static_cast<double>(kNs);
}

}  // namespace

TEST_CASE("fabric packet: a train through an idle switch") {
  PacketNetwork network = star_network(3, 1024, 8192);
  network.send(transfer(0, 1, 1024), 5 * kNs);
  const auto arrived = run(network);
  REQUIRE(arrived.size() == 1);
  CHECK(arrived[0].sent == 5 * kNs);
  // Two links, the switch, the train once: it is cut through.
  CHECK(arrived[0].arrived == (5 + 10 + 100 + 10) * kNs + 1024 * 1000);
  CHECK_FALSE(arrived[0].lost);
  CHECK(network.idle());
  CHECK(network.statistics(0).payload == 1024);
  CHECK(network.statistics(0).busy == 1024 * 1000);
  CHECK(network.statistics(3).trains == 1);
  CHECK(network.latency(3).count() == 1);
}

TEST_CASE("fabric packet: an idle path of a rack takes what the formulas say") {
  const system::Fabric fabric(system::load_system("trn3-nl32x2-gen1"));
  const system::LinkConfig& c = fabric.config().link;
  const auto link = [&](unsigned lanes, Medium medium, bool from, bool to) {
    return link::LinkTiming(c, lanes, 8, medium, from, to);
  };
  PacketNetwork network(fabric);
  network.send(transfer(0, 2, 4096), 0);      // chip A to the A of the next tray: one switch
  network.send(transfer(4, 5, 4096), 0);      // the neighbour on a tray
  network.send(transfer(6, 6 + 32, 256), 0);  // the chip in the other rack
  auto arrived = run(network);
  REQUIRE(arrived.size() == 3);
  std::sort(arrived.begin(), arrived.end(), [](const Delivery& a, const Delivery& b) {
    return a.transfer.source < b.transfer.source;
  });
  const auto in = link(8, Medium::kBackplane, true, false),
             out = link(8, Medium::kBackplane, false, true);
  CHECK(ns(arrived[0].arrived) ==
        Approx(in.head_latency() + c.switch_ns + out.latency(4096)).epsilon(1e-6));
  CHECK(ns(arrived[1].arrived) ==
        Approx(link(64, Medium::kPcb, true, true).latency(4096)).epsilon(1e-6));
  CHECK(ns(arrived[2].arrived) ==
        Approx(link(16, Medium::kAec, true, true).latency(256)).epsilon(1e-6));
}

TEST_CASE("fabric packet: a long transfer runs at the rate of its narrowest link") {
  const system::Fabric fabric(system::load_system("trn3-nl32x2-gen1"));
  PacketNetwork network(fabric);
  constexpr std::uint64_t kBytes = 8 << 20;
  // A backplane link of 8 lanes and the tray link of 64: 55.5 GB/s.
  network.send(transfer(0, 3, kBytes), 0);
  const auto arrived = run(network);
  REQUIRE(arrived.size() == 1);
  CHECK(kBytes / ns(arrived[0].arrived) == Approx(55.5).epsilon(0.01));
}

// Bytes of 256 long trains; a quarter of the trains, and the rate is the same.
TEST_CASE("fabric packet: long transfers have long trains while they are of one class") {
  constexpr std::uint64_t kBytes = 256 * 4096;
  fabric::packet::Shape shape = star(3, 1024, 256 * 1024);
  shape.long_train_bytes = 4096;
  const auto network = [&] { return PacketNetwork(shape, std::make_unique<StarRoutes>()); };
  PacketNetwork alone = network();
  alone.send(transfer(0, 1, kBytes), 0);
  const Time end = run(alone)[0].arrived;
  CHECK(alone.statistics(0).trains == 256);
  CHECK(end == 120 * kNs + kBytes * 1000);
  // Not of shorter ones.
  PacketNetwork shorter = network();
  shorter.send(transfer(0, 1, kBytes - 1024), 0);
  run(shorter);
  CHECK(shorter.statistics(0).trains == 1023);
  // From an urgent message on they are short: the next one waits for at most one of these.
  PacketNetwork both = network();
  both.send(transfer(0, 1, kBytes), 0);
  std::vector<Delivery> arrived;
  for (const Time at : {200 * kNs, 400 * kNs}) {
    both.advance(at, arrived);
    both.send(transfer(0, 1, 64, 0), at);
  }
  both.advance(kNever - 1, arrived);
  REQUIRE(arrived.size() == 3);
  CHECK(arrived[0].arrived - arrived[0].sent <= 120 * kNs + 2 * 4096 * 1000 + 64 * 1000);
  CHECK(arrived[1].arrived - arrived[1].sent <= 120 * kNs + 2 * 1024 * 1000 + 64 * 1000);
  // What has been long is what was sent before.
  CHECK(both.statistics(0).trains > 820);
  CHECK(both.statistics(0).trains < 1000);
}

TEST_CASE("fabric packet: too small a buffer limits the rate to buffer by round trip") {
  // A train of 1 KiB takes 1.024 ns; a credit is back 10 + 100 + 1.024 + 10 ns after the grant.
  for (const std::uint32_t trains : {1U, 4U, 16U}) {
    PacketNetwork network = star_network(2, 1024, trains * 1024);
    constexpr std::uint64_t kTrains = 1000;
    network.send(transfer(0, 1, kTrains * 1024), 0);
    const auto arrived = run(network);
    REQUIRE(arrived.size() == 1);
    CAPTURE(trains);
    CHECK(ns(arrived[0].arrived) ==
          Approx(static_cast<double>(kTrains) / trains * 121.024).epsilon(0.02));
    CHECK(network.statistics(0).credit_stall > 0);
    CHECK(network.statistics(0).credit_stall + network.statistics(0).busy <= arrived[0].arrived);
    CHECK(network.idle());
  }
}

TEST_CASE("fabric packet: an urgent message passes a queue that is full") {
  PacketNetwork network = star_network(3, 1024, 256 * 1024);
  network.send(transfer(0, 2, 1 << 20), 0);
  network.send(transfer(1, 2, 1 << 20), 0);
  std::vector<Delivery> arrived;
  network.advance(1000 * kNs, arrived);
  network.send(transfer(0, 2, 64, 0), 1000 * kNs);
  network.advance(kNever - 1, arrived);
  REQUIRE(arrived.size() == 3);
  CHECK(arrived[0].transfer.traffic_class == 0);
  // The path alone, and at each of two arbiters at most the train that is being sent.
  CHECK(arrived[0].arrived - arrived[0].sent <= 120 * kNs + 2 * 1024 * 1000 + 64 * 1000);
}

TEST_CASE("fabric packet: the least urgent class gets at least a ninth") {
  PacketNetwork network = star_network(3, 1024, 256 * 1024);
  network.send(transfer(0, 2, 1 << 20, 0), 0);
  network.send(transfer(1, 2, 1 << 16, 3), 0);
  const auto arrived = run(network);
  REQUIRE(arrived.size() == 2);
  CHECK(arrived[0].transfer.traffic_class == 3);
  CHECK(ns(arrived[0].arrived) == Approx(9 * 65.536 + 120).epsilon(0.05));
}

TEST_CASE("fabric packet: inputs of a class share an output evenly") {
  PacketNetwork network = star_network(5, 1024, 64 * 1024);
  for (std::uint32_t n = 0; n < 4; ++n) network.send(transfer(n, 4, 1 << 20), 0);
  const auto arrived = run(network);
  REQUIRE(arrived.size() == 4);
  for (const Delivery& d : arrived) CHECK(ns(d.arrived) == Approx(4 * 1048.6 + 120).epsilon(0.01));
}

TEST_CASE("fabric packet: a message of headers only, and what is no transfer") {
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  PacketNetwork network(fabric);
  network.send(transfer(0, 5, 0), 0);
  const auto arrived = run(network);
  REQUIRE(arrived.size() == 1);
  CHECK(network.idle());
  CHECK_THROWS_AS(network.send(transfer(1, 1, 1), 0), std::invalid_argument);
  CHECK_THROWS_AS(network.send(transfer(1, 16, 1), 0), std::invalid_argument);
  CHECK_THROWS_AS(network.send(transfer(1, 2, 1, 4), 0), std::invalid_argument);
}

TEST_CASE("fabric packet: a result does not depend on steps or on the order of calls") {
  CAPTURE(test_seed());
  const system::Fabric fabric(system::load_system("trn3-nl32x2-gen1"));
  struct Send {
    Transfer transfer;
    Time at;
  };
  std::mt19937_64 random(test_seed());
  std::vector<Send> sends;
  for (unsigned n = 0; n < 3000; ++n) {
    const auto a = static_cast<std::uint32_t>(random() % 64);
    const auto b = static_cast<std::uint32_t>((a + 1 + random() % 63) % 64);
    Transfer t = transfer(a, b, random() % 20000, static_cast<std::uint8_t>(random() % 4),
                          static_cast<std::uint32_t>(random() % 3));
    t.tag = n;
    sends.push_back({t, random() % 16 * 100 * kNs});
  }
  std::stable_sort(sends.begin(), sends.end(),
                   [](const Send& a, const Send& b) { return a.at < b.at; });
  const auto run_with = [&](bool reverse_sources, bool steps) {
    // Calls of one instant in another order, but for those of one source.
    std::vector<Send> list = sends;
    if (reverse_sources) {
      std::stable_sort(list.begin(), list.end(), [](const Send& a, const Send& b) {
        return a.at != b.at ? a.at < b.at : a.transfer.source > b.transfer.source;
      });
    }
    PacketNetwork network(fabric);
    std::vector<Delivery> arrived;
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (steps && (n == 0 || list[n].at != list[n - 1].at) && list[n].at > 0)
        network.advance(list[n].at - 1, arrived);
      network.send(list[n].transfer, list[n].at);
    }
    while (steps && network.next_time() != kNever) network.advance(network.next_time(), arrived);
    network.advance(kNever - 1, arrived);
    CHECK(network.idle());
    return arrived;
  };
  const auto expected = run_with(false, false);
  REQUIRE(expected.size() == sends.size());
  for (const auto& [reverse, steps] :
       {std::pair{true, false}, std::pair{false, true}, std::pair{true, true}}) {
    const auto arrived = run_with(reverse, steps);
    REQUIRE(arrived.size() == expected.size());
    for (std::size_t n = 0; n < arrived.size(); ++n) {
      REQUIRE(arrived[n].arrived == expected[n].arrived);
      REQUIRE(arrived[n].transfer.tag == expected[n].transfer.tag);
    }
  }
}

}  // namespace tern::tb
