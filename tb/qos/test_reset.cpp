// SPDX-License-Identifier: Apache-2.0
// Reset in the middle of traffic: balances and round-robin positions are those of a new arbiter.
#include <VQosArbiter.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "systemc/cosim/rtl_block.h"
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"

namespace {

using Arbiter = tern::cosim::RtlBlock<VQosArbiter>;

struct Inputs {
  std::uint32_t requests, classes, bytes;
  bool enable;
};

Inputs any(std::mt19937_64& random) {
  return {static_cast<std::uint32_t>(random() & 0xffff), static_cast<std::uint32_t>(random()),
          static_cast<std::uint32_t>(random() % 4096), random() % 3 == 0};
}

void offer(VQosArbiter& model, const Inputs& in) {
  model.clk_i = 0;
  model.enable_i = in.enable;
  model.req_i = static_cast<std::uint16_t>(in.requests);
  model.class_i = in.classes;
  model.bytes_i = in.bytes;
  model.eval();
}

bool all_zero(const VQosArbiter& model) {
  for (std::size_t i = 0; i < sizeof(model.balance_o) / 4; ++i) {
    if (model.balance_o[i] != 0) return false;
  }
  return true;
}

void reset(VQosArbiter& model) {
  model.clk_i = 0;
  model.eval();
  model.rst_ni = 0;
  model.eval();
  CHECK(all_zero(model));  // asynchronous: no clock edge since
  model.rst_ni = 1;
  model.eval();
}

}  // namespace

TEST_CASE("qos reset: afterwards the arbiter is as new") {
  std::mt19937_64 random(tern::tb::test_seed());
  Arbiter used(tern::tb::bench_wave(), "qos_arbiter");
  for (unsigned policy = 0; policy < 3; ++policy) {
    CAPTURE(policy);
    Arbiter fresh({}, "qos_arbiter");
    for (Arbiter* arbiter : {&used, &fresh}) {
      arbiter->model.rst_ni = 1;
      arbiter->model.policy_i = static_cast<std::uint8_t>(policy);
      arbiter->model.rate_i = 0x1000'2000'4000'8000;
      for (std::size_t i = 0; i < sizeof(arbiter->model.depth_i) / 4; ++i) {
        arbiter->model.depth_i[i] = 0x0040'0400;
      }
      reset(arbiter->model);
    }
    for (unsigned i = 0; i < 500; ++i) {
      offer(used.model, any(random));
      used.clock.edge();
    }
    CHECK_FALSE(all_zero(used.model));
    reset(used.model);
    for (unsigned i = 0; i < 500; ++i) {
      const Inputs in = any(random);
      offer(used.model, in);
      offer(fresh.model, in);
      INFO("cycle " << i);
      REQUIRE(used.model.grant_o == fresh.model.grant_o);
      REQUIRE(used.model.grant_class_o == fresh.model.grant_class_o);
      REQUIRE(used.model.by_right_o == fresh.model.by_right_o);
      REQUIRE(used.model.settled_o == fresh.model.settled_o);
      REQUIRE(std::memcmp(used.model.balance_o.data(), fresh.model.balance_o.data(),
                          sizeof(used.model.balance_o)) == 0);
      used.clock.edge();
      fresh.clock.edge();
    }
  }
}
