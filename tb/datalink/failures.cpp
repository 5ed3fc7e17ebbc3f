// SPDX-License-Identifier: Apache-2.0
// A failure for tb/common/check_failing_text.sh: no list has it.
#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/datalink/link_pair.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("a mismatch on purpose: datalink", "[.]") {
  LinkPair pair(LinkSize::kSmall, test_seed(), 2);
  pair.traffic[0].offer = pair.traffic[1].offer = 256;
  pair.run(150);
  pair.break_model(1);
  pair.run(10);
}
