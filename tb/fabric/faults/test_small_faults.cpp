// SPDX-License-Identifier: Apache-2.0
// Times of both levels with faults, worked out by hand. A train of 4 KiB is 16 packets of 272 bytes
// in flits, 73.763 ns on 8 lanes; its head takes 58 ns to a neighbour: two controllers of 25, 2 of
// copper, 2 of correction, a flit of 4.
#include <catch2/catch.hpp>

#include "systemc/fabric/flow/flow_transport.h"
#include "systemc/fabric/packet/packet_network.h"
#include "tb/fabric/faults/broken_system.h"

namespace tern::tb {

using fabric::Delivery;
using fabric::FlowTransport;
using fabric::Time;
using fabric::Transfer;
using fabric::faults::FaultState;
using fabric::faults::Observed;
using fabric::packet::PacketNetwork;

namespace {

constexpr double kTrain = 16.0 * (256 + 16) * 256 / 236 / 64;
constexpr double kHead = 58;
constexpr std::uint64_t kBytes = 4096;  // of a train

const char* const kLink = "link: rack0.tray0.chip0--rack0.tray0.chip1";

Transfer transfer(std::uint32_t source, std::uint32_t target, std::uint64_t bytes,
                  std::uint64_t tag = 0) {
  return {source, target, bytes, 3, 0, tag};
}

std::vector<Delivery> drain(fabric::Transport& transport) {
  std::vector<Delivery> arrived;
  while (transport.next_time() != fabric::kNever) transport.advance(transport.next_time(), arrived);
  return arrived;
}

double ns(Time time) {
  return static_cast<double>(time) / 1e6;
}

// Of a script with one fault of the first link.
std::string fault(const std::string& what, const std::string& more, const std::string& at_us) {
  return "  - {at_us: " + at_us + ", fault: " + what + ", " + kLink + more + "}\n";
}

struct Result {
  std::vector<Delivery> arrived;
  FaultState state;
};

Result packets(const system::Fabric& fabric, const std::string& script,
               const std::vector<Transfer>& transfers, std::uint64_t seed = 0) {
  Result result = {{}, state_of(script, fabric, seed)};
  PacketNetwork network(result.state);
  for (const Transfer& t : transfers) network.send(t, 0);
  result.arrived = drain(network);
  CHECK(network.idle());
  return result;
}

Result flows(const system::Fabric& fabric, const std::string& script,
             const std::vector<Transfer>& transfers, std::uint64_t seed = 0) {
  Result result = {{}, state_of(script, fabric, seed)};
  FlowTransport network(result.state);
  for (const Transfer& t : transfers) network.send(t, 0);
  result.arrived = drain(network);
  return result;
}

}  // namespace

TEST_CASE("small faults: a script that never comes true changes nothing") {
  const system::Fabric fabric = two_chips();
  for (const bool packet : {true, false}) {
    const auto result = (packet ? packets : flows)(fabric, fault("dead_link", "", "99"),
                                                   {transfer(0, 1, 3 * kBytes)}, 0);
    REQUIRE(result.arrived.size() == 1);
    CHECK(ns(result.arrived[0].arrived) == Approx(kHead + 3 * kTrain).epsilon(1e-6));
  }
}

TEST_CASE("small faults: the times of a script count from its beginning") {
  const system::Fabric fabric = two_chips();
  FaultState state = state_of(fault("dead_link", "", "2"), fabric);
  state.set_origin(fabric::kNever);
  PacketNetwork network(state);
  std::vector<Delivery> arrived;
  network.advance(5'000'000'000, arrived);
  CHECK(network.next_time() == fabric::kNever);
  network.begin_faults(7'000'000'000);
  network.send(transfer(0, 1, kBytes, 1), 8'999'000'000);
  arrived = drain(network);
  REQUIRE(arrived.size() == 1);
  CHECK(arrived[0].lost);
  CHECK(ns(arrived[0].arrived) == 9000);
  CHECK(ns(state.happened(0)) == 9000);
}

TEST_CASE("small faults: without another way a dead link loses what has not arrived") {
  const system::Fabric fabric = two_chips();
  const auto result =
      packets(fabric, fault("dead_link", "", "0.15"),
              {transfer(0, 1, kBytes, 1), transfer(0, 1, kBytes, 2), transfer(1, 0, 9999, 3)});
  REQUIRE(result.arrived.size() == 3);
  // The first train came at 131.763 ns.
  CHECK(result.arrived[0].transfer.tag == 1);
  CHECK_FALSE(result.arrived[0].lost);
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}}) {
    CHECK(result.arrived[n].lost);
    CHECK(ns(result.arrived[n].arrived) == 150);
  }
  CHECK(result.state.observed(0)[Observed::kLost] == 2);
  CHECK(result.state.observed(0)[Observed::kLinkDown] == 1);
  CHECK(result.state.observed(0)[Observed::kRerouted] == 0);
}

TEST_CASE("small faults: what is sent over a link that has died is lost at once") {
  const system::Fabric fabric = two_chips();
  for (const bool packet : {true, false}) {
    FaultState state = state_of(fault("dead_link", "", "1"), fabric);
    std::unique_ptr<fabric::Transport> network;
    if (packet) {
      network = std::make_unique<PacketNetwork>(state);
    } else {
      network = std::make_unique<FlowTransport>(state);
    }
    network->send(transfer(0, 1, kBytes), 2'000'000'000);
    const auto arrived = drain(*network);
    REQUIRE(arrived.size() == 1);
    CHECK(arrived[0].lost);
    CHECK(ns(arrived[0].arrived) == 2000);
    CHECK(state.observed(0)[Observed::kLost] == 1);
  }
}

TEST_CASE("small faults: a flap keeps what is under way, and sends it again") {
  const system::Fabric fabric = two_chips();
  const std::string flap = ", for_us: 1, train_us: 2";
  // At 50 ns the first train is on the way, the second has not begun; at 100 both are.
  struct Row {
    const char* at_us;
    double up;
    std::uint64_t replayed;
  };
  for (const Row& row : {Row{"0.05", 3050, 1}, Row{"0.1", 3100, 2}}) {
    const auto result =
        packets(fabric, fault("flap", flap, row.at_us), {transfer(0, 1, 2 * kBytes)});
    REQUIRE(result.arrived.size() == 1);
    CHECK_FALSE(result.arrived[0].lost);
    CHECK(ns(result.arrived[0].arrived) == Approx(row.up + kHead + 2 * kTrain).epsilon(1e-6));
    CHECK(result.state.observed(0)[Observed::kReplayed] == row.replayed);
    CHECK(result.state.observed(0)[Observed::kRetrained] == 1);
    CHECK(result.state.observed(0)[Observed::kLinkDown] == 0);
  }
  // What is sent meanwhile waits behind what is sent again.
  FaultState state = state_of(fault("flap", flap, "0.05"), fabric);
  PacketNetwork network(state);
  network.send(transfer(0, 1, kBytes), 0);
  network.send({0, 1, kBytes, 0, 1, 1}, 3'060'000'000);
  const auto both = drain(network);
  REQUIRE(both.size() == 2);
  CHECK(ns(both[0].arrived) == Approx(3050 + kHead + kTrain).epsilon(1e-6));
  CHECK(ns(both[1].arrived) == Approx(3050 + kHead + 2 * kTrain).epsilon(1e-6));
  // Retraining takes what the system says. At 140 ns the first train has arrived; a second flap
  // during the first one makes it longer.
  const system::Fabric slow = two_chips("link: {retrain_ns: 500}\n");
  const auto result =
      packets(slow, fault("flap", ", for_us: 1", "0.14") + fault("flap", ", for_us: 1", "1.14"),
              {transfer(0, 1, 3 * kBytes)});
  REQUIRE(result.arrived.size() == 1);
  CHECK(ns(result.arrived[0].arrived) == Approx(2640 + kHead + 2 * kTrain).epsilon(1e-6));
  CHECK(result.state.observed(0)[Observed::kRetrained] == 2);
  // Flows stand still as long.
  const auto flow = flows(fabric, fault("flap", flap, "0.05"), {transfer(0, 1, 2 * kBytes)});
  REQUIRE(flow.arrived.size() == 1);
  CHECK(ns(flow.arrived[0].arrived) == Approx(3000 + kHead + 2 * kTrain).epsilon(1e-5));
}

TEST_CASE(
    "small faults: a link with half of its lanes takes twice as long from the next train on") {
  const system::Fabric fabric = two_chips();
  const auto result =
      packets(fabric, fault("lane_loss", ", lanes: 1", "0.05"), {transfer(0, 1, 2 * kBytes)});
  REQUIRE(result.arrived.size() == 1);
  // A flit takes 4 ns more.
  CHECK(ns(result.arrived[0].arrived) == Approx(3 * kTrain + kHead + 4).epsilon(1e-6));
  CHECK(result.state.observed(0)[Observed::kDegraded] == 1);
  CHECK(result.state.observed(0)[Observed::kSpared] == 0);
  // A flow at once: 0.05 us at the full rate.
  const auto flow =
      flows(fabric, fault("lane_loss", ", lanes: 4", "0.05"), {transfer(0, 1, 2 * kBytes)});
  REQUIRE(flow.arrived.size() == 1);
  CHECK(ns(flow.arrived[0].arrived) == Approx(50 + 2 * (2 * kTrain - 50) + kHead).epsilon(1e-4));
  // The last lane.
  const auto dead =
      packets(fabric, fault("lane_loss", ", lanes: 8", "0.05"), {transfer(0, 1, 2 * kBytes)});
  CHECK(dead.arrived.at(0).lost);
}

TEST_CASE("small faults: errors cost replays, which the time shows") {
  // Selective: a flit of 4 ns each; retraining 10 us.
  const system::Fabric fabric = two_chips();
  constexpr std::uint64_t kTrains = 1000;
  Time first = 0;
  for (const std::uint64_t seed : {1U, 2U, 1U}) {
    const auto result = packets(fabric, fault("bit_errors", ", rate: 2e-5", "0"),
                                {transfer(0, 1, kTrains * kBytes)}, seed);
    REQUIRE(result.arrived.size() == 1);
    const auto& observed = result.state.observed(0);
    // 19 flits a train; e = 2e-5: two bytes wrong of 85 in one of three groups, 2.7e-4 of them.
    CHECK(observed[Observed::kReplayed] > 0);
    CHECK(static_cast<double>(observed[Observed::kReplayed]) == Approx(5.2).margin(6 * 2.3));
    // Any of 2048 bits: 4 %.
    CHECK(static_cast<double>(observed[Observed::kCorrected]) == Approx(762).margin(6 * 27));
    CHECK(
        ns(result.arrived[0].arrived) ==
        Approx(kHead + kTrains * kTrain + 4.0 * static_cast<double>(observed[Observed::kReplayed]))
            .margin(0.001));
    if (seed == 1 && first > 0) CHECK(result.arrived[0].arrived == first);
    if (seed == 1) first = result.arrived[0].arrived;
  }
}

TEST_CASE("small faults: a link with too many errors retrains, and is given up") {
  // PCIe 4.0 loses nine of ten packets of 280 bytes at e = 1e-3.
  const system::Fabric fabric = two_chips("link: {protocol: pcie4}\n");
  const auto result =
      packets(fabric, fault("bit_errors", ", rate: 1e-3", "0"), {transfer(0, 1, 100 * kBytes)});
  REQUIRE(result.arrived.size() == 1);
  CHECK(result.arrived[0].lost);
  CHECK(result.state.observed(0)[Observed::kRetrained] >= 3);
  CHECK(result.state.observed(0)[Observed::kReplayed] >= 12);
  CHECK(result.state.observed(0)[Observed::kLinkDown] == 1);
  CHECK_FALSE(result.state.usable(0));
}

TEST_CASE("small faults: in a ring of four the long way round is left") {
  const system::Fabric fabric = ring_of_four();
  // Three links and two chips that forward it.
  constexpr double kWay = 3 * kHead + 2 * 20;
  constexpr unsigned kTrains = 5;
  struct Row {
    const char* at_us;
    double at;
    unsigned arrived;  // trains that have, until then
  };
  for (const Row& row :
       {Row{"0", 0, 0}, Row{"0.05", 50, 0}, Row{"0.15", 150, 1}, Row{"0.21", 210, 2}}) {
    const auto result = packets(fabric, fault("dead_link", "", row.at_us),
                                {transfer(0, 1, kTrains * kBytes), transfer(2, 1, kBytes)});
    REQUIRE(result.arrived.size() == 2);
    CHECK(result.arrived[0].transfer.source == 2);
    const Delivery& d = result.arrived[1];
    CHECK_FALSE(d.lost);
    const double alone = row.at + kWay + (kTrains - row.arrived) * kTrain;
    // At most one train of the other transfer is in the way, on the last link.
    CHECK(ns(d.arrived) >= Approx(alone).epsilon(1e-6));
    CHECK(ns(d.arrived) <= Approx(alone + kTrain).epsilon(1e-6));
    CHECK(result.state.observed(0)[Observed::kRerouted] == 1);
    CHECK(result.state.observed(0)[Observed::kLost] == 0);
  }
  // A flow keeps what has passed.
  const auto flow =
      flows(fabric, fault("dead_link", "", "0.15"), {transfer(0, 1, kTrains * kBytes)});
  REQUIRE(flow.arrived.size() == 1);
  CHECK(ns(flow.arrived[0].arrived) == Approx(kWay + kTrains * kTrain).epsilon(1e-4));
  CHECK(flow.state.observed(0)[Observed::kRerouted] == 1);
  // A second dead link cuts chip 0 off.
  const auto cut = packets(
      fabric,
      fault("dead_link", "", "0.05") +
          "  - {at_us: 0.1, fault: dead_link, link: rack0.tray0.chip0--rack0.tray0.chip3}\n",
      {transfer(0, 1, kTrains * kBytes), transfer(3, 1, kBytes)});
  REQUIRE(cut.arrived.size() == 2);
  CHECK(cut.arrived[0].lost);
  CHECK(ns(cut.arrived[0].arrived) == 100);
  CHECK_FALSE(cut.arrived[1].lost);
}

TEST_CASE("small faults: dead chips and pulled trays lose what is theirs only") {
  const system::Fabric fabric = ring_of_four();
  const auto result =
      packets(fabric, "  - {at_us: 0.01, fault: dead_chip, chip: rack0.tray0.chip1}\n",
              {transfer(0, 2, kBytes, 1), transfer(2, 0, kBytes, 2), transfer(0, 1, kBytes, 3),
               transfer(1, 3, kBytes, 4)});
  REQUIRE(result.arrived.size() == 4);
  for (const Delivery& d : result.arrived) CHECK(d.lost == (d.transfer.tag > 2));
  // Both may have gone by chip 1 or by chip 3; now they go by chip 3.
  for (const std::size_t n : {std::size_t{2}, std::size_t{3}})
    CHECK(ns(result.arrived[n].arrived) <= 10 + 2 * kHead + 20 + kTrain + 0.001);
}

TEST_CASE("small faults: a switch is swapped under load, and takes its part again") {
  const system::Fabric fabric = two_switches();
  for (const bool packet : {true, false}) {
    CAPTURE(packet);
    const std::string script =
        "  - {at_us: 10, fault: hot_swap, switch: rack0.plane0.switch0, for_us: 15, train_us: 5}\n";
    std::vector<Transfer> transfers;
    // Eight streams over two switches: 64 GB/s each, 55.5 of payload.
    for (std::uint32_t stream = 0; stream < 8; ++stream) {
      Transfer t = transfer(0, 1, 500'000, stream);
      t.stream = stream;
      transfers.push_back(t);
    }
    const auto result = (packet ? packets : flows)(fabric, script, transfers, 0);
    REQUIRE(result.arrived.size() == 8);
    Time last = 0;
    for (const Delivery& d : result.arrived) {
      CHECK_FALSE(d.lost);
      last = std::max(last, d.arrived);
    }
    // 4 MB; for 20 us half of the rate.
    CHECK(ns(last) == Approx(4e6 / (2 * 55.53) + 10'000).epsilon(0.03));
    const std::uint32_t link = fabric.links_of(fabric.find("rack0.plane0.switch0").value())[0];
    CHECK(result.state.observed(link)[Observed::kLinkDown] == 1);
    CHECK(result.state.observed(link)[Observed::kRerouted] == 4);
  }
}

TEST_CASE("small faults: triggers count what a link has carried") {
  const system::Fabric fabric = two_chips();
  const std::string dead = std::string("fault: dead_link, ") + kLink + "}\n";
  const std::vector<Transfer> transfers = {transfer(0, 1, 4 * kBytes, 1), transfer(0, 1, kBytes, 2),
                                           transfer(0, 1, kBytes, 3)};
  // Two trains, to their last byte; the second transfer's.
  const auto bytes = packets(fabric, "  - {after_bytes: 8192, " + dead, transfers);
  CHECK(ns(bytes.state.happened(0)) == Approx(kHead + 2 * kTrain).epsilon(1e-6));
  CHECK(bytes.arrived.size() == 3);
  CHECK(bytes.arrived[0].lost);
  const auto count = packets(fabric, "  - {after_transfers: 2, " + dead, transfers);
  CHECK(ns(count.state.happened(0)) == Approx(kHead + 5 * kTrain).epsilon(1e-6));
  CHECK(count.arrived.size() == 3);
  CHECK_FALSE(count.arrived[0].lost);
  CHECK(count.arrived[2].lost);
  CHECK(count.arrived[2].transfer.tag == 3);
  const auto never = packets(fabric, "  - {after_transfers: 4, " + dead, transfers);
  CHECK(never.state.happened(0) == fabric::kNever);
  CHECK_FALSE(never.arrived[2].lost);
  const auto flow = flows(fabric, "  - {after_bytes: 8192, " + dead, transfers);
  CHECK(ns(flow.state.happened(0)) == Approx(2 * kTrain).epsilon(0.001));
  const auto second = flows(fabric, "  - {after_transfers: 2, " + dead, transfers);
  CHECK(ns(second.state.happened(0)) == Approx(5 * kTrain).epsilon(0.001));
}

}  // namespace tern::tb
