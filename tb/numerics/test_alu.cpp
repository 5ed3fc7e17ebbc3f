// SPDX-License-Identifier: Apache-2.0
// FP32 operations against MPFR, comparisons and activation functions against their definition.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "sw/numerics/activation.h"
#include "sw/numerics/alu.h"
#include "sw/numerics/fp_modes.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern::numerics;  // NOLINT: a test uses the names of what it tests
using tern::tb::fp32_corners;
using tern::tb::MpfrOracle;

namespace {

const float kNan = float_of(0x7FC00000);
const float kOddNan = float_of(0xFF800001);

std::size_t wrong_pair(MpfrOracle& oracle, float a, float b) {
  return (bits_of(add(a, b)) != oracle.add(a, b)) +
         (bits_of(subtract(a, b)) != oracle.subtract(a, b)) +
         (bits_of(multiply(a, b)) != oracle.multiply(a, b)) +
         (bits_of(divide(a, b)) != oracle.divide(a, b)) +
         (bits_of(reciprocal(a)) != oracle.divide(1.0f, a));
}

}  // namespace

TEST_CASE("Arithmetic rounds once: all pairs of corner values") {
  MpfrOracle oracle;
  std::size_t wrong = 0;
  for (std::uint32_t a : fp32_corners()) {
    for (std::uint32_t b : fp32_corners()) wrong += wrong_pair(oracle, float_of(a), float_of(b));
  }
  CHECK(wrong == 0);
}

TEST_CASE("Fused multiply-add rounds once: all triples of corner values") {
  MpfrOracle oracle;
  std::size_t wrong = 0;
  for (std::uint32_t a : fp32_corners()) {
    for (std::uint32_t b : fp32_corners()) {
      for (std::uint32_t c : fp32_corners()) {
        wrong += bits_of(fused_multiply_add(float_of(a), float_of(b), float_of(c))) !=
                 oracle.fma(float_of(a), float_of(b), float_of(c));
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("Arithmetic rounds once: random operands, near and far exponents") {
  MpfrOracle oracle;
  std::mt19937_64 random(tern::tb::test_seed());
  std::size_t wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    const auto a = static_cast<std::uint32_t>(random());
    auto b = static_cast<std::uint32_t>(random());
    // Every other pair is within a few powers of two: cancellation and ties.
    if (i % 2 == 0) b = (b & 0x807FFFFF) | ((a + ((random() % 5) << 23)) & 0x7F800000);
    auto c = static_cast<std::uint32_t>(random());
    wrong += wrong_pair(oracle, float_of(a), float_of(b));
    if (i % 3 == 0) c = bits_of(multiply(float_of(a), float_of(b))) ^ 0x80000000;
    wrong += bits_of(fused_multiply_add(float_of(a), float_of(b), float_of(c))) !=
             oracle.fma(float_of(a), float_of(b), float_of(c));
  }
  CHECK(wrong == 0);
}

TEST_CASE("Every NaN that leaves an operation is canonical") {
  const std::function<float(float)> operations[] = {
      [](float x) { return add(x, 1.0f); },
      [](float x) { return subtract(1.0f, x); },
      [](float x) { return multiply(x, 0.0f); },
      [](float x) { return divide(x, x); },
      [](float x) { return fused_multiply_add(1.0f, 1.0f, x); },
      [](float x) { return reciprocal(x); },
      [](float x) { return negate(x); },
      [](float x) { return absolute(x); },
      [](float x) { return square(x); },
      [](float x) { return maximum(x, 1.0f); },
      [](float x) { return maximum(1.0f, x); },
      [](float x) { return minimum(x, 1.0f); },
      [](float x) { return minimum(1.0f, x); },
      [](float x) { return identity(x); },
      [](float x) { return relu(x); },
      [](float x) { return tern::numerics::exp(x); },
      [](float x) { return activation_input(x, 1.0f, 0.0f); },
      [](float x) { return reduce(&x, 1, 1, add); },
  };
  for (const auto& operation : operations) {
    CHECK(bits_of(operation(kOddNan)) == kCanonicalNan);
    CHECK(bits_of(operation(float_of(0xFFC00000))) == kCanonicalNan);
  }
}

TEST_CASE("Maximum and minimum order zeros and refuse NaN") {
  CHECK(bits_of(maximum(0.0f, -0.0f)) == 0x00000000);
  CHECK(bits_of(maximum(-0.0f, 0.0f)) == 0x00000000);
  CHECK(bits_of(maximum(-0.0f, -0.0f)) == 0x80000000);
  CHECK(bits_of(minimum(0.0f, -0.0f)) == 0x80000000);
  CHECK(bits_of(minimum(-0.0f, 0.0f)) == 0x80000000);
  CHECK(bits_of(minimum(0.0f, 0.0f)) == 0x00000000);
  CHECK(bits_of(maximum(-INFINITY, kNan)) == kCanonicalNan);
  std::size_t wrong = 0;
  for (std::uint32_t a : fp32_corners()) {
    for (std::uint32_t b : fp32_corners()) {
      if (is_nan_bits(a) || is_nan_bits(b)) continue;
      // Order by sign and magnitude; -0 comes right below +0.
      const auto key = [](std::uint32_t bits) {
        const auto magnitude = static_cast<std::int64_t>(bits & 0x7FFFFFFF);
        return (bits >> 31) != 0 ? -magnitude - 1 : magnitude;
      };
      wrong += bits_of(maximum(float_of(a), float_of(b))) != (key(a) > key(b) ? a : b);
      wrong += bits_of(minimum(float_of(a), float_of(b))) != (key(a) < key(b) ? a : b);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("Comparisons give 1.0 or 0.0, NaN compares false, not_equal true") {
  CHECK(equal(2.0f, 2.0f) == 1.0f);
  CHECK(equal(0.0f, -0.0f) == 1.0f);
  CHECK(not_equal(0.0f, -0.0f) == 0.0f);
  CHECK(less(-0.0f, 0.0f) == 0.0f);
  CHECK(less(1.0f, 2.0f) == 1.0f);
  CHECK(less_equal(2.0f, 2.0f) == 1.0f);
  CHECK(greater(INFINITY, 3e38f) == 1.0f);
  CHECK(greater_equal(-INFINITY, -INFINITY) == 1.0f);
  CHECK(greater_equal(1.0f, 2.0f) == 0.0f);
  for (const auto& [a, b] : {std::pair{kNan, 1.0f}, {1.0f, kNan}, {kNan, kNan}}) {
    CHECK(equal(a, b) == 0.0f);
    CHECK(less(a, b) == 0.0f);
    CHECK(less_equal(a, b) == 0.0f);
    CHECK(greater(a, b) == 0.0f);
    CHECK(greater_equal(a, b) == 0.0f);
    CHECK(not_equal(a, b) == 1.0f);
  }
}

TEST_CASE("Reductions are chains in element order from the first element") {
  // 2^24 + 1 loses the 1; from the other end it is kept.
  const std::vector<float> down = {16777216.0f, 1.0f, 1.0f};
  const std::vector<float> up = {1.0f, 1.0f, 16777216.0f};
  CHECK(reduce(down.data(), 3, 1, add) == 16777216.0f);
  CHECK(reduce(up.data(), 3, 1, add) == 16777218.0f);
  CHECK(reduce(up.data(), 2, 2, add) == 16777216.0f);  // stride 2: 1 + 2^24, a tie to even
  const std::vector<float> zeros = {-0.0f, -0.0f};
  CHECK(bits_of(reduce(zeros.data(), 2, 1, add)) == 0x80000000);  // no +0 is mixed in
  CHECK(reduce(down.data(), 1, 1, maximum) == 16777216.0f);
}

TEST_CASE("Activation: two roundings before the function") {
  // A fused multiply-add would keep 2^-24 here: (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24.
  const float x = 1.0f + std::ldexp(1.0f, -12);
  CHECK(activation_input(x, x, -1.0f - std::ldexp(1.0f, -11)) == 0.0f);
  CHECK(std::fma(x, x, -1.0f - std::ldexp(1.0f, -11)) != 0.0f);
  MpfrOracle oracle;
  std::mt19937_64 random(tern::tb::test_seed());
  std::size_t wrong = 0;
  for (int i = 0; i < 50000; ++i) {
    const float source = float_of(static_cast<std::uint32_t>(random()));
    const float scale = float_of(static_cast<std::uint32_t>(random()));
    const float bias = float_of(static_cast<std::uint32_t>(random()));
    wrong += bits_of(activation_input(source, scale, bias)) !=
             oracle.add(float_of(oracle.multiply(source, scale)), bias);
  }
  CHECK(wrong == 0);
}

TEST_CASE("relu is x above zero, otherwise +0") {
  CHECK(bits_of(relu(-0.0f)) == 0);
  CHECK(bits_of(relu(-1.0f)) == 0);
  CHECK(bits_of(relu(-INFINITY)) == 0);
  CHECK(relu(INFINITY) == INFINITY);
  CHECK(bits_of(relu(float_of(1))) == 1);
  CHECK(bits_of(relu(float_of(0x80000001))) == 0);
}

TEST_CASE("Reciprocal: zeros, infinities, subnormal results") {
  CHECK(reciprocal(0.0f) == INFINITY);
  CHECK(reciprocal(-0.0f) == -INFINITY);
  CHECK(bits_of(reciprocal(-INFINITY)) == 0x80000000);
  CHECK(bits_of(reciprocal(float_of(0x7F000000))) == 0x00400000);  // 1 / 2^127
}

#if defined(__SSE2__)
TEST_CASE("ScopedFpModes brings the default modes and restores the caller's") {
  const unsigned saved = _mm_getcsr();
  constexpr unsigned kFlushAndRoundUp = 0x1F80 | 0x8040 | 0x4000;  // FTZ, DAZ, towards +infinity
  _mm_setcsr(kFlushAndRoundUp);
  // Volatile results too: the compiler assumes that arithmetic does not depend on the modes.
  volatile float tiny = float_of(0x00400000), two = 2.0f, one = 1.0f, bit = float_of(0x33000000);
  volatile float flushed = tiny * two;
  volatile float up = one + bit;
  volatile float kept, nearest;
  {
    const ScopedFpModes modes;
    kept = tiny * two;
    nearest = one + bit;
  }
  const unsigned after = _mm_getcsr() & 0xFFC0;
  _mm_setcsr(saved);
  CHECK(bits_of(flushed) == 0);
  CHECK(bits_of(up) == 0x3F800001);
  CHECK(bits_of(kept) == 0x00800000);
  CHECK(nearest == 1.0f);
  CHECK(after == (kFlushAndRoundUp & 0xFFC0));
}
#endif
