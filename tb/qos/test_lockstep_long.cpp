// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tb/common/seed.h"
#include "tb/qos/lockstep.h"

using namespace tern::tb;  // NOLINT: a test uses the names of what it tests

TEST_CASE("qos lockstep: two million cycles") {
  std::mt19937_64 random(test_seed() + 1);
  QosTrio trio;
  random_qos_run(trio, random, 2000000);
  std::printf("qos lockstep: %llu cycles compared\n",
              static_cast<unsigned long long>(trio.cycle()));
}
