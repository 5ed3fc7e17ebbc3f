// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tb/common/seed.h"
#include "tb/datalink/random_run.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("datalink lockstep: a million cycles, full size") {
  LinkPair pair(LinkSize::kFull, test_seed());
  random_link_run(pair, test_seed(), 1000000);
}

TEST_CASE("datalink lockstep: a million cycles, small buffers") {
  LinkPair pair(LinkSize::kSmall, test_seed(), 3);
  random_link_run(pair, test_seed(), 1000000);
}

// Without faults, so that numbers wrap and credits, too.
TEST_CASE("datalink lockstep: a busy link, a hundred thousand flits") {
  LinkPair pair(LinkSize::kFull, test_seed());
  for (EndTraffic& traffic : pair.traffic) traffic.offer = 256;
  pair.run(400000);
  pair.drain();
  std::printf("datalink lockstep: %llu packets, %llu MB of payload\n",
              static_cast<unsigned long long>(pair.counts(0).delivered),
              static_cast<unsigned long long>(pair.counts(0).payload_bytes >> 20));
  CHECK(pair.counts(0).bad == 0);
  CHECK(pair.counts(0).replays == 0);
  CHECK(pair.counts(0).payload_bytes > 80 * 400000 / 4);
}
