// SPDX-License-Identifier: Apache-2.0
// The levels against each other, on every preset.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "systemc/fabric/flow/flow_transport.h"
#include "systemc/fabric/packet/packet_network.h"
#include "systemc/fabric/traffic/pattern.h"
#include "systemc/fabric/traffic/traffic_run.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file
using fabric::Traffic;
using fabric::Transfer;

namespace {

double ns(fabric::Time time) {
  return static_cast<double>(time) / 1e6;
}

}  // namespace

TEST_CASE("levels: without congestion packets and flows take the same time, on every preset") {
  for (const std::string& name : system::system_names()) {
    INFO(name);
    const system::Fabric fabric(system::load_system(name));
    Traffic traffic;
    traffic.pattern = "ring";
    const std::vector<Transfer> transfers = fabric::transfers_of(traffic, fabric);
    fabric::packet::PacketNetwork packet(fabric);
    fabric::FlowTransport flow(fabric);
    const auto a = fabric::run_traffic(packet, transfers), b = fabric::run_traffic(flow, transfers);
    CHECK(a.lost + b.lost == 0);
    CHECK(a.bytes == transfers.size() * traffic.bytes);
    CHECK(ns(b.time) == Approx(ns(a.time)).epsilon(0.05));
  }
}

// Where the place of congestion is one link, or an output of a switch. Traffic that meets many such
// places is another matter: README.md of the flow level.
TEST_CASE("levels: congested at one place they agree within 15 percent, on every preset") {
  CAPTURE(tb::test_seed());
  for (const std::string& name : system::system_names()) {
    const system::Fabric fabric(system::load_system(name));
    std::vector<std::string> patterns = {"incast"};
    if (fabric.count(system::NodeKind::kRackSwitch) > 0)
      patterns.insert(patterns.end(), {"permutation", "tornado", "transpose"});
    for (const std::string& pattern : patterns) {
      INFO(name << " " << pattern);
      Traffic traffic;
      traffic.pattern = pattern;
      traffic.seed = tb::test_seed();
      const std::vector<Transfer> transfers = fabric::transfers_of(traffic, fabric);
      fabric::packet::PacketNetwork packet(fabric);
      fabric::FlowTransport flow(fabric);
      const auto a = fabric::run_traffic(packet, transfers),
                 b = fabric::run_traffic(flow, transfers);
      CHECK(ns(b.time) == Approx(ns(a.time)).epsilon(0.15));
    }
  }
}

TEST_CASE("levels: no level is faster than the hottest link, and nothing is lost") {
  for (const char* name : {"trn2-nl16", "trn3-nl32x2-gen2"}) {
    INFO(name);
    const system::Fabric fabric(system::load_system(name));
    Traffic traffic;
    traffic.bytes = 16384;
    const std::vector<Transfer> transfers = fabric::transfers_of(traffic, fabric);
    fabric::packet::PacketNetwork packet(fabric);
    fabric::FlowTransport flow(fabric);
    const auto routes = fabric::packet::routes_of(fabric);
    fabric::Time bound = 0;
    for (const fabric::Time time :
         fabric::channel_times(fabric::packet::shape_of(fabric, routes->vcs()), *routes, transfers))
      bound = std::max(bound, time);
    const auto a = fabric::run_traffic(packet, transfers), b = fabric::run_traffic(flow, transfers);
    CHECK(a.bytes == transfers.size() * traffic.bytes);
    CHECK(b.bytes == a.bytes);
    CHECK(a.time >= bound);
    CHECK(static_cast<double>(b.time) >= 0.998 * static_cast<double>(bound));
  }
}

TEST_CASE("flow level: a transfer sent when its stream is about to end does not overtake it") {
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  fabric::FlowTransport flow(fabric);
  // Many flows that end nearly together, and a successor at every instant around it.
  for (std::uint32_t chip = 0; chip < 16; ++chip)
    flow.send({chip, (chip + 1) % 16, 1'000'000 + chip * 50, 3, 0, 0}, 0);
  std::vector<fabric::Delivery> arrived;
  std::uint64_t tag = 1;
  while (flow.next_time() != fabric::kNever) {
    const fabric::Time now = flow.next_time();
    flow.advance(now, arrived);
    if (tag > 40) continue;
    for (std::uint32_t chip = 0; chip < 16; ++chip)
      flow.send({chip, (chip + 1) % 16, 4, 3, 0, tag}, now);
    ++tag;
  }
  std::vector<std::uint64_t> last(16);
  std::vector<fabric::Time> at(16);
  for (const fabric::Delivery& d : arrived) {
    const std::uint32_t chip = d.transfer.source;
    CHECK(d.transfer.tag >= last[chip]);
    CHECK(d.arrived >= at[chip]);
    last[chip] = d.transfer.tag;
    at[chip] = d.arrived;
  }
}

// Work of the model, not time of the host. A table of more: README.md of the packet level.
TEST_CASE("packet level: events grow with bytes times hops") {
  for (const char* name : {"trn2-nl16", "trn2-nl64", "trn3-nl32x2-gen2"}) {
    const system::Fabric fabric(system::load_system(name));
    for (const std::uint64_t bytes : {4096, 65536}) {
      INFO(name << " " << bytes);
      Traffic traffic;
      traffic.bytes = bytes;
      const std::vector<Transfer> transfers = fabric::transfers_of(traffic, fabric);
      const auto routes = fabric::packet::routes_of(fabric);
      double train_hops = 0;
      std::vector<fabric::packet::Hop> hops;
      for (const Transfer& t : transfers) {
        hops.clear();
        REQUIRE(routes->path(t, &hops));
        train_hops += static_cast<double>(hops.size() * (bytes / 4096));
      }
      fabric::packet::PacketNetwork packet(fabric);
      fabric::run_traffic(packet, transfers);
      const double events = static_cast<double>(packet.handled()) / train_hops;
      UNSCOPED_INFO(events);
      CHECK(events > 1.5);
      CHECK(events < 3);
    }
  }
}
