// SPDX-License-Identifier: Apache-2.0
// Failures for tb/common/check_failing_wave.sh and check_failing_text.sh: no list has them.
#include "tb/qos/lockstep.h"

using namespace tern;      // NOLINT: a test uses the names of what it tests
using namespace tern::tb;  // NOLINT

TEST_CASE("a failure on purpose, in cycle 20", "[.]") {
  QosTrio trio;
  constexpr std::array<std::uint32_t, QosTrio::kRequesters> kZero{};
  for (unsigned i = 0; i < 20; ++i) trio.step(true, 0, kZero.data(), kZero.data());
  FAIL("on purpose");
}

// A check that does not end the test.
TEST_CASE("a failed check on purpose, in cycle 20 of 30", "[.]") {
  QosTrio trio;
  constexpr std::array<std::uint32_t, QosTrio::kRequesters> kZero{};
  for (unsigned i = 0; i < 30; ++i) {
    CHECK(i != 20);
    trio.step(true, 0, kZero.data(), kZero.data());
  }
}

TEST_CASE("a mismatch on purpose: qos", "[.]") {
  QosTrio trio;
  trio.configure({qos::Policy::kWeighted, {}, {}});
  constexpr std::array<std::uint32_t, QosTrio::kRequesters> kZero{};
  for (unsigned i = 0; i < 20; ++i) trio.step(true, 0x8001, kZero.data(), kZero.data());
  trio.reference().balance[2] = -0x12;
  trio.step(true, 0x8001, kZero.data(), kZero.data());
}
