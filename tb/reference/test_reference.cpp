// SPDX-License-Identifier: Apache-2.0
// The host reference against exact arithmetic, and against the other implementation of the
// contract.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "sw/numerics/bf16.h"
#include "sw/numerics/exp.h"
#include "sw/numerics/float_bits.h"
#include "sw/numerics/fp16.h"
#include "sw/reference/reference.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT: test file

using numerics::bits_of;
using numerics::float_of;

TEST_CASE("reference: known roundings") {
  CHECK(reference::to_bf16(1.0f) == 0x3F80);
  CHECK(reference::to_bf16(float_of(0x3F808000)) == 0x3F80);  // tie to even
  CHECK(reference::to_bf16(float_of(0x3F818000)) == 0x3F82);
  CHECK(reference::to_bf16(float_of(0x3F808001)) == 0x3F81);
  CHECK(reference::to_bf16(-0.0f) == 0x8000);
  CHECK(reference::to_bf16(std::numeric_limits<float>::max()) == 0x7F80);
  CHECK(reference::to_bf16(float_of(0x00008000)) == 0x0000);
  CHECK(reference::to_bf16(float_of(0x00018000)) == 0x0002);
  CHECK(reference::to_bf16(float_of(0xFFC12345)) == 0x7FC0);
  CHECK(reference::to_fp16(65504.0f) == 0x7BFF);
  CHECK(reference::to_fp16(65519.99f) == 0x7BFF);
  CHECK(reference::to_fp16(65520.0f) == 0x7C00);
  CHECK(reference::to_fp16(std::ldexp(1.0f, -25)) == 0x0000);
  CHECK(reference::to_fp16(std::ldexp(1.5f, -25)) == 0x0001);
  CHECK(reference::to_fp16(-std::ldexp(1.0f, -24)) == 0x8001);
  CHECK(reference::to_fp16(-INFINITY) == 0xFC00);
  CHECK(reference::from_fp16(0x0001) == std::ldexp(1.0f, -24));
}

TEST_CASE(
    "reference: roundings and the exponential agree with the engines' for random bits and all "
    "short inputs") {
  std::mt19937_64 random(tb::test_seed());
  for (int i = 0; i < 2'000'000; ++i) {
    const float x = float_of(static_cast<std::uint32_t>(random()));
    const bool same = reference::to_bf16(x) == numerics::bf16_from_float(x) &&
                      reference::to_fp16(x) == numerics::fp16_from_float(x) &&
                      bits_of(reference::exponential(x)) == bits_of(numerics::exp(x));
    if (!same) FAIL("differs for 0x" << std::hex << bits_of(x));
  }
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    const float x = float_of(b << 16);
    if (bits_of(reference::exponential(x)) != bits_of(numerics::exp(x)))
      FAIL("exp differs for bf16 0x" << std::hex << b);
    const auto h = static_cast<std::uint16_t>(b);
    const float x16 = reference::from_fp16(h), y16 = numerics::fp16_to_float(h);
    // Widening may keep a NaN's payload: it becomes canonical when a result leaves its unit.
    if (bits_of(x16) != bits_of(y16) && !(std::isnan(x16) && std::isnan(y16)))
      FAIL("fp16 0x" << std::hex << b);
  }
}

TEST_CASE("reference: the exponential is near the true one") {
  for (double d = -87; d < 88; d += 0.00917) {
    const auto x = static_cast<float>(d);
    const double exact = std::exp(static_cast<double>(x));
    const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
    CHECK(std::fabs(reference::exponential(x) - exact) < 0.81 * ulp);
  }
}

TEST_CASE("reference: a product by hand, in chains of 128") {
  // 2^24 + 1 is not an FP32 number: inside a chain the one is lost, as a separate chain it
  // survives until the sum.
  const std::size_t k = 130;
  std::vector<float> a(k, 0.0f), b(k, 0.0f);
  a[0] = b[0] = 4096.0f;
  a[1] = b[1] = 1.0f;
  CHECK(reference::matmul(a, b, k, 1, 1) == std::vector<float>{16777216.0f});
  a[1] = b[1] = 0.0f;
  a[128] = b[128] = 1.0f;
  a[129] = b[129] = 1.0f;
  CHECK(reference::matmul(a, b, k, 1, 1) == std::vector<float>{16777218.0f});
  CHECK(reference::matmul({1, 2, 3, 4}, {5, 6}, 2, 2, 1) == std::vector<float>{23, 34});
}

TEST_CASE("reference: a network by hand") {
  // h = relu([1, -1] * 2 + [0.5, 0]) = [2.5, 0]; z = [2.5, 0] + [0, 2.5]
  const std::vector<reference::Layer> layers = {{1, 2, {1, -1}, {0.5f, 0}},
                                                {2, 2, {1, 0, 0, 1}, {0, 2.5f}}};
  const auto result = reference::mlp({2}, 1, layers);
  CHECK(result.logits == std::vector<float>{2.5f, 2.5f});
  CHECK(result.probabilities == std::vector<float>{0.5f, 0.5f});
}

TEST_CASE("reference: a NaN reaches the probabilities as the canonical one") {
  const auto result = reference::mlp({NAN}, 1, {{1, 2, {1, 0}, {0, 0}}});
  for (float p : result.probabilities) CHECK(bits_of(p) == 0x7FC00000);
}
