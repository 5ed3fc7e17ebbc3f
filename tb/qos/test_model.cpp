// SPDX-License-Identifier: Apache-2.0
// What the model alone promises: independence of how often it is called, classes without
// requesters, refusals.
#include <catch2/catch.hpp>
#include <random>

#include "sw/base/user_error.h"
#include "systemc/qos/arbiter.h"
#include "tb/common/seed.h"

using namespace tern;       // NOLINT: a test uses the names of what it tests
using namespace tern::qos;  // NOLINT

TEST_CASE("qos model: asking does not change the answers") {
  std::mt19937_64 random(tb::test_seed());
  Arbiter often(8), rarely(8);
  const std::uint32_t class_of[8] = {0, 1, 2, 3, 0, 1, 2, 3};
  Settings settings;
  std::uint64_t cycle = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    if (round % 100 == 0) {
      settings.policy = round % 200 == 0 ? Policy::kWeighted : Policy::kStrict;
      for (unsigned c = 0; c < kClasses; ++c) {
        settings.rate_256[c] = static_cast<std::uint32_t>(random() % 3000);
        settings.depth[c] = static_cast<std::uint32_t>(random() % 3000);
      }
      often.configure(settings, cycle);
      rarely.configure(settings, cycle);
    }
    // The same settings again, at any time: no change.
    for (std::uint64_t step = random() % 50; step > 0; --step, ++cycle) {
      (void)often.pick(cycle, class_of, random() & 0xFF);
      often.configure(settings, cycle);
    }
    const std::uint64_t mask = 1 + random() % 255;
    const auto a = often.pick(cycle, class_of, mask), b = rarely.pick(cycle, class_of, mask);
    REQUIRE(a == b);
    const auto bytes = static_cast<std::uint32_t>(random() % 2000);
    often.granted(cycle, *a, class_of[*a], bytes);
    rarely.granted(cycle, *a, class_of[*a], bytes);
    for (unsigned c = 0; c < kClasses; ++c) {
      REQUIRE(often.shaper().balance_256(cycle, c) == rarely.shaper().balance_256(cycle, c));
    }
  }
}

TEST_CASE("qos model: buckets are right after any number of cycles") {
  ClassShaper shaper;
  shaper.configure({Policy::kWeighted, {1, 0xFFFF, 0, 0}, {0xFFFFF, 0xFFFFF, 5, 5}}, 0);
  const std::uint64_t full = 256ull * 0xFFFFF;
  CHECK(shaper.balance_256(full - 1, 0) == static_cast<std::int64_t>(full - 1));
  CHECK(shaper.balance_256(full, 0) == static_cast<std::int64_t>(full));
  CHECK(shaper.balance_256(full + 1, 0) == static_cast<std::int64_t>(full));
  CHECK(shaper.balance_256(~std::uint64_t{0}, 1) == static_cast<std::int64_t>(full));
  CHECK(shaper.balance_256(~std::uint64_t{0}, 2) == 0);
}

TEST_CASE("qos model: several grants of one cycle count in sequence") {
  ClassShaper shaper;
  shaper.configure({Policy::kWeighted, {256, 256, 0, 0}, {100, 100, 0, 0}}, 0);
  CHECK(shaper.pick(50, 0b11) == 0u);
  shaper.granted(50, 0, 60);
  CHECK(shaper.balance_256(50, 0) == -10 * 256);
  CHECK(shaper.pick(50, 0b11) == 1u);
  shaper.granted(50, 1, 50);
  CHECK(shaper.pick(50, 0b11) == 1u);  // 0 is not a debt
  shaper.granted(50, 1, 1);
  CHECK(shaper.pick(50, 0b11) == 0u);  // left over
  shaper.granted(50, 0, 1000);
  CHECK(shaper.balance_256(50, 0) == -10 * 256);
}

TEST_CASE("qos model: round robin over classes for users without requesters") {
  ClassShaper shaper;
  CHECK(shaper.pick(0, 0) == std::nullopt);
  unsigned order[4];
  for (unsigned& cls : order) {
    cls = *shaper.pick(7, 0b1101);
    shaper.granted(7, cls, 64);
  }
  CHECK(order[0] == 0);
  CHECK(order[1] == 2);
  CHECK(order[2] == 3);
  CHECK(order[3] == 0);
}

TEST_CASE("qos model: values that no register holds are refused") {
  ClassShaper shaper;
  Settings settings;
  settings.rate_256[2] = 65536;
  CHECK_THROWS_AS(shaper.configure(settings, 0), UserError);
  settings.rate_256[2] = 65535;
  settings.depth[3] = 1u << 20;
  CHECK_THROWS_AS(shaper.configure(settings, 0), UserError);
  settings.depth[3] = (1u << 20) - 1;
  CHECK_NOTHROW(shaper.configure(settings, 0));
  CHECK_THROWS(Arbiter(1));
  CHECK_THROWS(Arbiter(65));
  // The largest packet a bucket counts.
  settings.policy = Policy::kWeighted;
  shaper.configure(settings, 0);
  shaper.granted(0, 2, 0xFFFFFFFF);
  CHECK(shaper.balance_256(0, 2) == -256 * ((std::int64_t{1} << kChargeBits) - 1));
}

TEST_CASE("qos model: 64 requesters") {
  Arbiter arbiter(64);
  std::uint32_t class_of[64] = {};
  for (unsigned i = 0; i < 130; ++i) {
    REQUIRE(arbiter.pick(i, class_of, ~std::uint64_t{0}) == i % 64);
    arbiter.granted(i, i % 64, 0, 1);
  }
}
