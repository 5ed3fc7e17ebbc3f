// SPDX-License-Identifier: Apache-2.0
// RTL, model and reference side by side.
#include "tb/common/bench_wave.h"
#include "tb/common/seed.h"
#include "tb/qos/lockstep.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("qos lockstep: random traffic and settings") {
  std::mt19937_64 random(test_seed());
  QosTrio trio;
  random_qos_run(trio, random, 60000);
}

TEST_CASE("qos lockstep: the two undefined policy bits are round robin") {
  QosRtl rtl(bench_wave());
  rtl.configure_policy(3);
  std::uint32_t class_of[QosRtl::kRequesters], bytes_of[QosRtl::kRequesters] = {};
  for (unsigned i = 0; i < QosRtl::kRequesters; ++i) class_of[i] = 3 - i % 4;
  for (unsigned turn = 0; turn < 40; ++turn) {
    CHECK(rtl.offer(true, 0xFFFF, class_of, bytes_of).requester == turn % QosRtl::kRequesters);
    rtl.tick();
    // Neither moves the turn.
    CHECK_FALSE(rtl.offer(true, 0, class_of, bytes_of).valid);
    rtl.tick();
    CHECK_FALSE(rtl.offer(false, 0xFFFF, class_of, bytes_of).valid);
    rtl.tick();
  }
}
