// SPDX-License-Identifier: Apache-2.0
// Two ends, RTL and model side by side, over wires with every kind of fault.
#include "sw/base/user_error.h"
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

TEST_CASE("datalink lockstep: a difference ends the run with cycle, port and both values") {
  flit::LinkOptions other;
  other.head_credits = 31;
  LinkLockstep both(std::make_unique<flit::LinkModel>(), std::make_unique<flit::LinkModel>(other));
  flit::LinkInputs inputs;
  inputs.slot = true;
  std::string text;
  try {
    for (unsigned i = 0; i < 200; ++i) both.cycle(inputs);
  } catch (const RunError& error) {
    text = error.what();
  }
  // Slots begin in cycle 81; the credits of the first flit are in byte 239, on lane 47.
  CHECK(text ==
        "link lockstep: cycle 84, tx_lanes_o word 47 is 0x7F000000 in the model, "
        "0x1F000000 in the RTL");
}
