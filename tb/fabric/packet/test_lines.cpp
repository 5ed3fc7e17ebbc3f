// SPDX-License-Identifier: Apache-2.0
// Channels whose trains go flit by flit, against the same network with formulas.
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "sw/base/user_error.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/packet/packet_network.h"
#include "tb/fabric/faults/broken_system.h"

namespace tern::tb {
namespace {

using fabric::Delivery;
using fabric::kNever;
using fabric::Time;
using fabric::Transfer;
using fabric::packet::PacketNetwork;

void set_lines(PacketNetwork* network, const system::Fabric& fabric, double errors = 0) {
  for (std::uint32_t channel = 0; channel < network->shape().channels.size(); ++channel) {
    const system::Link& link = fabric.links()[channel / 2];
    link::FlitLine::Options o;
    o.name = std::to_string(channel);
    o.config = fabric.config().link;
    o.config.bit_error_rate = errors;
    o.lanes = link.lanes;
    o.lane_gb_per_s = fabric.config().lane_gb_per_s;
    o.medium = link.medium;
    o.from_chip = network->shape().channels[channel].from < fabric.chips();
    o.to_chip = network->shape().channels[channel].to < fabric.chips();
    o.seed = channel;
    network->set_line(channel, std::make_unique<link::FlitLine>(o));
  }
}

std::vector<Delivery> run(PacketNetwork* network, const std::vector<Transfer>& transfers) {
  for (const Transfer& t : transfers) network->send(t, 0);
  std::vector<Delivery> arrived;
  while (network->next_time() != kNever) network->advance(network->next_time(), arrived);
  network->finish_lines();
  return arrived;
}

std::vector<Transfer> all_to_all(std::uint32_t chips, std::uint64_t bytes) {
  std::vector<Transfer> transfers;
  for (std::uint32_t a = 0; a < chips; ++a) {
    for (std::uint32_t b = 0; b < chips; ++b) {
      if (a == b) continue;
      Transfer t;
      t.source = a;
      t.target = b;
      t.bytes = bytes;
      t.traffic_class = static_cast<std::uint8_t>((a + b) % 4);
      transfers.push_back(t);
    }
  }
  return transfers;
}

double us(Time fs) {
  return static_cast<double>(fs) * 1e-9;
}

}  // namespace

TEST_CASE("fabric lines: transfers take what they take with the formulas") {
  for (const char* name : {"trn3-nl16-2d", "trn3-nl32x2-gen2"}) {
    CAPTURE(name);
    const system::Fabric fabric(system::load_system(name));
    Transfer far;
    far.source = 0;
    far.target = fabric.chips() - 2;  // over several hops
    for (const std::uint64_t bytes : {0, 256, 65536}) {
      CAPTURE(bytes);
      far.bytes = bytes;
      PacketNetwork formulas(fabric), lines(fabric);
      set_lines(&lines, fabric);
      const Delivery a = run(&formulas, {far}).at(0), b = run(&lines, {far}).at(0);
      CHECK(us(b.arrived) == Approx(us(a.arrived)).epsilon(0.03));
    }
  }
}

TEST_CASE("fabric lines: all to all takes what it takes with the formulas") {
  const system::Fabric fabric(system::load_system("trn3-nl16-2d"));
  const auto transfers = all_to_all(fabric.chips(), 65536);
  PacketNetwork formulas(fabric), lines(fabric);
  set_lines(&lines, fabric);
  const auto a = run(&formulas, transfers), b = run(&lines, transfers);
  CHECK(lines.idle());
  REQUIRE(b.size() == transfers.size());
  CHECK(us(b.back().arrived) == Approx(us(a.back().arrived)).epsilon(0.05));
}

TEST_CASE("fabric lines: errors on all links lose nothing and keep the order") {
  const system::Fabric fabric(system::load_system("trn3-nl16-2d"));
  std::vector<Transfer> transfers;
  for (unsigned i = 0; i < 30; ++i) {
    Transfer t;
    t.source = 0;
    t.target = 10;
    t.bytes = 1 + 997 * i;
    t.tag = i;
    transfers.push_back(t);
  }
  PacketNetwork lines(fabric);
  set_lines(&lines, fabric, 2e-4);
  const auto arrived = run(&lines, transfers);
  REQUIRE(arrived.size() == transfers.size());
  std::uint64_t replays = 0;
  for (std::uint32_t c = 0; c < lines.shape().channels.size(); ++c)
    replays += lines.line(c)->counts().replays;
  CHECK(replays > 0);
  for (unsigned i = 0; i < arrived.size(); ++i) CHECK(arrived[i].transfer.tag == i);
}

TEST_CASE("fabric lines: a script's errors and lanes act on a line, a flap is refused") {
  const system::Fabric fabric(system::load_system("trn3-nl16-2d"));
  auto broken = state_of(
      "  - {at_us: 0, fault: bit_errors, link: server0.tray0.chip0--server0.tray0.chip1, rate: "
      "2e-4}\n"
      "  - {at_us: 5, fault: lane_loss, link: server0.tray0.chip0--server0.tray0.chip1, lanes: "
      "8}\n",
      fabric);
  PacketNetwork network(broken);
  set_lines(&network, fabric);
  Transfer t;
  t.source = 0;
  t.target = 1;
  t.bytes = 1 << 20;
  const auto arrived = run(&network, {t});
  REQUIRE(arrived.size() == 1);
  CHECK_FALSE(arrived[0].lost);
  CHECK(broken.observed(0)[fabric::faults::Observed::kReplayed] > 0);

  auto flaps = state_of(
      "  - {at_us: 1, fault: flap, link: server0.tray0.chip0--server0.tray0.chip1, for_us: 1}\n",
      fabric);
  PacketNetwork other(flaps);
  CHECK_THROWS_WITH(set_lines(&other, fabric),
                    Catch::Contains("flap: not of a link that is simulated flit by flit"));
}

}  // namespace tern::tb
