// SPDX-License-Identifier: Apache-2.0
// The flow level against the ideal one where nothing shares, and against closed forms where
// everything does.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "systemc/fabric/flow/flow_transport.h"
#include "systemc/fabric/ideal/ideal_transport.h"

using namespace tern;  // NOLINT: test file
using fabric::Delivery;
using fabric::FlowTransport;

namespace {

std::vector<Delivery> drain(fabric::Transport& transport) {
  std::vector<Delivery> arrived;
  while (transport.next_time() != fabric::kNever) transport.advance(transport.next_time(), arrived);
  return arrived;
}

double last_ns(const std::vector<Delivery>& arrived) {
  fabric::Time last = 0;
  for (const Delivery& d : arrived) last = std::max(last, d.arrived);
  return static_cast<double>(last) / 1e6;
}

}  // namespace

TEST_CASE("flow level: a transfer alone takes the time of an idle path, on every preset") {
  for (const std::string& name : system::system_names()) {
    INFO(name);
    const system::Fabric fabric(system::load_system(name));
    for (const std::uint64_t bytes :
         {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{1} << 20}) {
      FlowTransport flow(fabric);
      fabric::IdealTransport ideal(fabric);
      // The first chip of the group's last tray: its ways are alike.
      const std::uint32_t target = (fabric.config().trays - 1) * fabric.config().chips_per_tray;
      flow.send({0, target, bytes, 3, 0, 9}, 500);
      const auto arrived = drain(flow);
      REQUIRE(arrived.size() == 1);
      CHECK(arrived[0].transfer.tag == 9);
      CHECK(static_cast<double>(arrived[0].arrived - 500) ==
            Approx(static_cast<double>(ideal.latency(0, target, bytes))).epsilon(1e-6));
    }
  }
}

TEST_CASE("flow level: senders to one chip share its links") {
  const system::Fabric fabric(system::load_system("trn3-nl32x2-gen2"));
  const auto time_of = [&](unsigned senders) {
    FlowTransport flow(fabric);
    for (std::uint32_t s = 1; s <= senders; ++s)
      for (std::uint32_t stream = 0; stream < 64; ++stream)
        flow.send({s, 0, 1 << 20, 3, stream, 0}, 0);
    const auto arrived = drain(flow);
    CHECK(arrived.size() == senders * 64);
    return last_ns(arrived);
  };
  // Twice the bytes into the same links.
  const double twelve = time_of(12), six = time_of(6);
  CHECK(twelve / six == Approx(2).epsilon(0.1));
}

TEST_CASE("flow level: an urgent class goes first, and a stream stays in order") {
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  FlowTransport flow(fabric);
  constexpr std::uint64_t kBytes = 1 << 20;
  flow.send({0, 1, kBytes, 3, 0, 1}, 0);
  flow.send({0, 1, kBytes, 0, 0, 2}, 0);
  flow.send({0, 1, 4, 3, 0, 3}, 0);
  const auto arrived = drain(flow);
  REQUIRE(arrived.size() == 3);
  CHECK(arrived[0].transfer.tag == 2);
  CHECK(arrived[1].transfer.tag == 1);
  CHECK(arrived[2].transfer.tag == 3);
  fabric::IdealTransport ideal(fabric);
  CHECK(static_cast<double>(arrived[0].arrived) ==
        Approx(static_cast<double>(ideal.latency(0, 1, kBytes))).epsilon(0.001));
}

TEST_CASE("flow level: a link carries no more than its rate, however long the network is busy") {
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  fabric::IdealTransport ideal(fabric);
  constexpr std::uint64_t kBytes = 1 << 15;
  constexpr unsigned kStreams = 200;
  FlowTransport flow(fabric);
  flow.send({5, 6, std::uint64_t{1} << 30, 3, 0, 0}, 0);  // for 8 ms
  std::vector<Delivery> arrived;
  constexpr fabric::Time kBegin = 1'000'000'000'000;
  flow.advance(kBegin, arrived);
  // Short ones over another link, sent twice as fast as it carries them.
  const fabric::Time each = ideal.latency(0, 1, 2 * kBytes) - ideal.latency(0, 1, kBytes);
  for (std::uint32_t stream = 0; stream < kStreams; ++stream)
    flow.send({0, 1, kBytes, 3, stream, 1}, kBegin + stream * each / 2);
  fabric::Time last = 0;
  for (const Delivery& d : drain(flow)) {
    if (d.transfer.tag == 1) last = std::max(last, d.arrived - kBegin);
  }
  CHECK(static_cast<double>(last) ==
        Approx(static_cast<double>(ideal.latency(0, 1, kStreams * kBytes))).epsilon(0.01));
}

TEST_CASE("flow level: results do not depend on how it is stepped") {
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  const auto run = [&](fabric::Time step) {
    FlowTransport flow(fabric);
    for (std::uint32_t s = 0; s < 16; ++s)
      for (std::uint32_t t = 0; t < 16; ++t)
        if (s != t) flow.send({s, t, 1000 + 100 * s + t, 3, 0, 0}, 10 * s);
    std::vector<Delivery> arrived;
    for (fabric::Time now = 0; flow.next_time() != fabric::kNever; now += step)
      flow.advance(now, arrived);
    std::vector<fabric::Time> times;
    times.reserve(arrived.size());
    for (const Delivery& d : arrived) times.push_back(d.arrived);
    return times;
  };
  CHECK(run(1'000'000) == run(123'456'789));
}
