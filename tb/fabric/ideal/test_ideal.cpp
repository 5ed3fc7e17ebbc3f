// SPDX-License-Identifier: Apache-2.0
// The ideal level against sums of its path's parts, written out.
#include <catch2/catch.hpp>
#include <vector>

#include "systemc/fabric/ideal/ideal_transport.h"

using namespace tern;  // NOLINT: test file
using fabric::Delivery;
using fabric::IdealTransport;
using fabric::Transfer;

namespace {

std::vector<Delivery> drain(IdealTransport& transport) {
  std::vector<Delivery> arrived;
  while (transport.next_time() != fabric::kNever) transport.advance(transport.next_time(), arrived);
  return arrived;
}

}  // namespace

TEST_CASE("ideal level: an idle path, part by part") {
  const system::Fabric fabric(system::load_system("trn3-nl32x2-gen1"));
  IdealTransport transport(fabric);
  // Two chips A of one rack: eight lanes to a switch and back, over the backplane. Controllers 25,
  // backplane 1 m 5, retimer 12, correction 2, a flit on 8 x 8 GB/s 4: 48 ns each; switch 115.
  const double head = 2 * (25 + 5 + 12 + 2 + 4) + 115;
  const double payload = 1024, packets = 4;  // of 256 bytes with headers of 16
  const double occupancy = (payload + packets * 16) * 256 / 236 / 64;
  const std::uint32_t a = *fabric.find("rack0.tray0.chip0"), b = *fabric.find("rack0.tray5.chip0");
  CHECK(static_cast<double>(transport.latency(a, b, 1024)) / 1e6 ==
        Approx(head + occupancy).epsilon(1e-6));
}

TEST_CASE("ideal level: transfers do not wait for each other, but a stream keeps its order") {
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  IdealTransport transport(fabric);
  constexpr std::uint64_t kLong = 1 << 20;
  Transfer first{0, 1, kLong, 3, 7, 100};
  Transfer behind{0, 1, 4, 3, 7, 101};
  Transfer other{0, 1, 4, 3, 8, 102};
  transport.send(first, 1000);
  transport.send(behind, 1001);
  transport.send(other, 1002);
  const std::vector<Delivery> got = drain(transport);
  REQUIRE(got.size() == 3);
  CHECK(got[0].transfer.tag == 102);
  CHECK(got[0].arrived == 1002 + transport.latency(0, 1, 4));
  CHECK(got[1].transfer.tag == 100);
  CHECK(got[1].arrived == 1000 + transport.latency(0, 1, kLong));
  CHECK(got[2].transfer.tag == 101);
  CHECK(got[2].arrived == got[1].arrived);
  CHECK(got[2].sent == 1001);
}

TEST_CASE("ideal level: deliveries of an instant come by target, source and stream") {
  const system::Fabric fabric(system::load_system("trn2-nl16"));
  IdealTransport transport(fabric);
  std::vector<Delivery> arrived;
  for (const unsigned stream : {2u, 0u, 1u}) {
    transport.send({1, 0, 0, 3, stream, 0}, 0);
    transport.send({0, 1, 0, 3, stream, 0}, 0);
  }
  for (const Delivery& d : drain(transport)) arrived.push_back(d);
  REQUIRE(arrived.size() == 6);
  for (unsigned i = 0; i < 6; ++i) {
    CHECK(arrived[i].transfer.target == i / 3);
    CHECK(arrived[i].transfer.stream == i % 3);
  }
}
