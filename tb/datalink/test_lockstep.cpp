// SPDX-License-Identifier: Apache-2.0
// Two ends, RTL and model side by side, over wires with every kind of fault.
#include "tb/common/seed.h"
#include "tb/datalink/random_run.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("datalink lockstep: random traffic and faults, full size") {
  LinkPair pair(LinkSize::kFull, test_seed());
  random_link_run(pair, test_seed(), 20000);
}

TEST_CASE("datalink lockstep: random traffic and faults, small buffers, a flit a cycle") {
  LinkPair pair(LinkSize::kSmall, test_seed(), 2);
  random_link_run(pair, test_seed(), 20000);
}
