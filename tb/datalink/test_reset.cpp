// SPDX-License-Identifier: Apache-2.0
// Reset in the middle of traffic: afterwards an end is as a new one. Its lanes lead back to it.
#include <VLinkPortSmall.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"

namespace {

using Port = tern::cosim::RtlBlock<VLinkPortSmall>;

void reset(Port& port) {
  port.model.clk_i = 0;
  port.model.eval();
  port.model.rst_ni = 0;
  port.model.eval();
  // Asynchronous: no clock edge since.
  CHECK(port.model.running_o == 0);
  CHECK(port.model.up_o == 0);
  CHECK(port.model.tx_valid_o == 0);
  CHECK(port.model.pkt_valid_o == 0);
  CHECK(port.model.head_left_o == 0);
  CHECK(port.model.data_left_o == 0);
  port.model.rst_ni = 1;
  port.model.eval();
}

// A cycle: what leaves on the lanes arrives at once, a few flits spoiled.
void offer(VLinkPortSmall& model, std::mt19937_64& random) {
  model.clk_i = 0;
  model.run_i = random() % 200 != 0;
  model.load_i = random() % 400 == 0;
  model.pkt_valid_i = random() % 2 == 0;
  model.pkt_class_i = random() % 4;
  model.pkt_dwords_i = random() % 65;
  for (auto& word : model.pkt_head_i.m_storage) word = static_cast<std::uint32_t>(random());
  for (auto& word : model.pkt_data_i.m_storage) word = static_cast<std::uint32_t>(random());
  model.slot_i = random() % 4 != 0;
  model.rx_error_i = random() % 16 == 0;
  model.rx_valid_i = model.tx_valid_o;
  model.rx_lanes_i = model.tx_lanes_o;
  model.free_valid_i = model.pkt_valid_o;
  model.free_class_i = model.pkt_class_o;
  model.free_dwords_i = model.pkt_dwords_o;
  model.eval();
}

}  // namespace

TEST_CASE("datalink reset: afterwards an end is as new") {
  const std::uint64_t seed = tern::tb::test_seed();
  std::mt19937_64 random(seed);
  Port used(tern::tb::bench_wave(), "link_port");
  Port fresh({}, "link_port");
  for (Port* port : {&used, &fresh}) {
    port->model.dead_i = {};
    port->model.rst_ni = 1;
    reset(*port);
  }
  for (unsigned i = 0; i < 1000; ++i) {
    offer(used.model, random);
    used.clock.edge();
  }
  CHECK(used.model.up_o == 1);
  reset(used);
  std::mt19937_64 same(seed + 1), again(seed + 1);
  unsigned packets = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    offer(used.model, same);
    offer(fresh.model, again);
    INFO("cycle " << i);
    const VLinkPortSmall &a = used.model, &b = fresh.model;
    REQUIRE(a.running_o == b.running_o);
    REQUIRE(a.up_o == b.up_o);
    REQUIRE(a.pkt_ready_o == b.pkt_ready_o);
    REQUIRE(a.head_left_o == b.head_left_o);
    REQUIRE(a.data_left_o == b.data_left_o);
    REQUIRE(a.pkt_valid_o == b.pkt_valid_o);
    REQUIRE(a.tx_valid_o == b.tx_valid_o);
    if (a.tx_valid_o) {
      REQUIRE(std::memcmp(a.tx_lanes_o.data(), b.tx_lanes_o.data(), sizeof(a.tx_lanes_o)) == 0);
    }
    REQUIRE(a.bad_o == b.bad_o);
    REQUIRE(a.duplicate_o == b.duplicate_o);
    REQUIRE(a.replay_o == b.replay_o);
    REQUIRE(a.recovery_o == b.recovery_o);
    packets += a.pkt_valid_o;
    used.clock.edge();
    fresh.clock.edge();
  }
  CHECK(packets > 100);
}
