// SPDX-License-Identifier: Apache-2.0
// The exponential: its definition, its limits, its error.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "sw/numerics/bf16.h"
#include "sw/numerics/exp.h"
#include "sw/numerics/float_bits.h"
#include "sw/numerics/fp_modes.h"
#include "sw/numerics/generated/exp_table.h"
#include "tb/common/seed.h"
#include "tb/numerics/exp_definition.h"
#include "tb/numerics/exp_error.h"

using namespace tern::numerics;  // NOLINT: a test uses the names of what it tests
using tern::tb::defined_exp;
using tern::tb::ExpError;

TEST_CASE("exp: special values and limits") {
  CHECK(exp(0.0f) == 1.0f);
  CHECK(exp(-0.0f) == 1.0f);
  CHECK(exp(INFINITY) == INFINITY);
  CHECK(bits_of(exp(-INFINITY)) == 0);
  CHECK(bits_of(exp(float_of(0xFF800001))) == kCanonicalNan);
  CHECK(bits_of(exp(float_of(0x327FFFFF))) == 0x3F800000);  // just below 2^-26
  CHECK(bits_of(exp(float_of(0xB27FFFFF))) == 0x3F800000);
  CHECK(bits_of(exp(float_of(0x42B17217))) < 0x7F800000);
  CHECK(exp(float_of(0x42B17218)) == INFINITY);
  CHECK(exp(float_of(0x7F7FFFFF)) == INFINITY);
  CHECK(bits_of(exp(float_of(0xC2CFF1B4))) == 1);
  CHECK(bits_of(exp(float_of(0xC2CFF1B5))) == 0);
  CHECK(bits_of(exp(float_of(0xFF7FFFFF))) == 0);
  CHECK(bits_of(exp(float_of(0xC2AEAC50))) < 0x00800000);  // about -87.34: subnormal, not flushed
  CHECK(bits_of(exp(float_of(0xC2AEAC50))) > 0);
}

TEST_CASE("exp: the difference is rounded before the function") {
  CHECK(exp_of_difference(3.0f, 3.0f) == 1.0f);
  CHECK(bits_of(exp_of_difference(1.5f, 2.5f)) == bits_of(exp(-1.0f)));
  CHECK(bits_of(exp_of_difference(1.0f, float_of(0x33000000))) == bits_of(exp(1.0f)));
  CHECK(bits_of(exp_of_difference(INFINITY, INFINITY)) == kCanonicalNan);
  CHECK(exp_of_difference(-INFINITY, 5.0f) == 0.0f);
}

TEST_CASE("exp: all BF16 inputs, error against MPFR and monotonic") {
  ExpError error;
  double worst_bf16 = 0;
  std::size_t backwards = 0;
  // From -Inf to +Inf in order.
  float previous = 0.0f;
  for (int key = -0x7F80; key <= 0x7F80; ++key) {
    const auto bits = static_cast<std::uint16_t>(key < 0 ? 0x8000 - key : key);
    const float d = bf16_to_float(bits);
    const float y = exp(d);
    if (y < previous) ++backwards;
    previous = y;
    error.add(d, y);
    worst_bf16 = std::max(worst_bf16, error.ulp(d, bf16_to_float(bf16_from_float(y)), 8, -133));
  }
  std::printf("exp, all BF16 inputs: %.4f ulp FP32, %.4f ulp after rounding to BF16\n",
              error.worst(), worst_bf16);
  CHECK(error.worst() <= 0.81);
  CHECK(worst_bf16 <= 0.5001);
  CHECK(backwards == 0);
}

TEST_CASE("exp: random FP32 inputs are the definition's bits, error against MPFR") {
  std::mt19937_64 random(tern::tb::test_seed());
  ExpError error;
  std::size_t wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    // Half uniform in value, half uniform in bits.
    float d = -103.9f + 192.6f * static_cast<float>(random() % (1u << 24)) / (1u << 24);
    if (i % 2 == 0) {
      d = float_of((static_cast<std::uint32_t>(random()) & 0x807FFFFF) |
                   (static_cast<std::uint32_t>(101 + random() % 32) << 23));
    }
    if (d > 88.7f || d < -103.9f) continue;
    const float y = exp(d);
    error.add(d, y);
    wrong += bits_of(y) != defined_exp(d);
  }
  CHECK(wrong == 0);
  CHECK(error.worst() <= 0.81);
}

TEST_CASE("exp: rows have the bits of the scalar function") {
  std::size_t wrong = 0;
  std::vector<float> d(4099), y(d.size());
  // Every 509th FP32 word, and all words around the borders of the special cases.
  const auto compare = [&] {
    exp_row(d.data(), y.data(), d.size());
    for (std::size_t i = 0; i < d.size(); ++i) wrong += bits_of(y[i]) != bits_of(exp(d[i]));
  };
  for (std::uint64_t word = 0; word < std::uint64_t{1} << 32;) {
    for (float& value : d) {
      value = float_of(static_cast<std::uint32_t>(word));
      word += 509;
    }
    compare();
  }
  for (const std::uint32_t border :
       {0u, 0x32800000u, 0x42B17218u, 0x7F800000u, 0xB2800000u, 0xC2CFF1B4u, 0xFF800000u,
        0xC2AEAC50u, 0x41800000u, 0xC1800000u, 0xC2000000u, 0xC2400000u, 0xC2800000u}) {
    for (std::size_t i = 0; i < d.size(); ++i) {
      d[i] = float_of(border + static_cast<std::uint32_t>(i) - 2048);
    }
    compare();
  }
  CHECK(wrong == 0);
}

TEST_CASE("exp: the significand stays between 1 and 2 and joins its segments upwards") {
  constexpr std::uint32_t kSegment = 1u << 22;
  for (std::uint32_t segment = 0; segment < 64; ++segment) {
    CAPTURE(segment);
    const exp_table::Segment& c = exp_table::kSegments[segment];
    CHECK(c.c0 < 1u << 28);
    CHECK(c.c1 < 1u << 23);
    CHECK(c.c2 < 1u << 13);
    const std::uint32_t first = exp_significand(segment * kSegment);
    const std::uint32_t last = exp_significand(segment * kSegment + kSegment - 1);
    CHECK(first >= 1u << 28);
    CHECK(last < 1u << 29);
    CHECK(first < last);
    if (segment < 63) CHECK(last <= exp_significand((segment + 1) * kSegment));
  }
}

#if defined(__SSE2__)
TEST_CASE("exp and conversions ignore the host's floating-point modes") {
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(0x1F80 | 0x8040 | 0x2000);  // FTZ, DAZ, towards -infinity
  const std::uint32_t subnormal = bits_of(exp(float_of(0xC2CFF1B4)));
  const std::uint32_t one = bits_of(exp(1.0f));
  const std::uint16_t bf16 = bf16_from_float(float_of(0x00018000));
  _mm_setcsr(saved);
  CHECK(subnormal == 1);
  CHECK(one == bits_of(exp(1.0f)));
  CHECK(bf16 == 2);
}
#endif
