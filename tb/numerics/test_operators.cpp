// SPDX-License-Identifier: Apache-2.0
// The operators beyond plain arithmetic: power and rsqrt against MPFR, truth values, absolute
// values, bits.
#include <mpfr.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sw/numerics/alu.h"
#include "sw/numerics/bitwise.h"
#include "tb/common/seed.h"
#include "tb/numerics/mpfr_oracle.h"

using namespace tern::numerics;  // NOLINT: a test uses the names of what it tests

namespace {

const float kNan = float_of(kCanonicalNan);

// The true power with 120 bits, and how far a result is from it in ulp of FP32.
class PowerError {
 public:
  PowerError() {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_inits2(120, a_, b_, exact_, static_cast<mpfr_ptr>(nullptr));
  }
  ~PowerError() { mpfr_clears(a_, b_, exact_, static_cast<mpfr_ptr>(nullptr)); }
  PowerError(const PowerError&) = delete;
  PowerError& operator=(const PowerError&) = delete;

  double ulp(float a, float b, float y) {
    mpfr_set_flt(a_, a, MPFR_RNDN);
    mpfr_set_flt(b_, b, MPFR_RNDN);
    mpfr_pow(exact_, a_, b_, MPFR_RNDN);
    const double limit = std::ldexp(2.0 - std::ldexp(1.0, -24), 127);
    if (std::isinf(y)) return std::fabs(mpfr_get_d(exact_, MPFR_RNDN)) >= limit ? 0.0 : INFINITY;
    const long place = std::max<long>(mpfr_get_exp(exact_) - 24, -149);
    mpfr_sub_d(exact_, exact_, y, MPFR_RNDN);
    return std::fabs(std::ldexp(mpfr_get_d(exact_, MPFR_RNDN), static_cast<int>(-place)));
  }

 private:
  mpfr_t a_, b_, exact_;
};

}  // namespace

TEST_CASE("power: error against MPFR, random operands") {
  std::mt19937_64 random(tern::tb::test_seed());
  PowerError error;
  double worst = 0;
  for (int i = 0; i < 60000; ++i) {
    auto a = float_of(static_cast<std::uint32_t>(random()) & 0x7FFFFFFF);
    if (i % 3 == 0) a = 1.0f + (static_cast<float>(random() % 2000001) - 1000000.0f) * 1e-7f;
    if (!(a > 0.0f) || std::isinf(a)) continue;
    // Results from far below the smallest number to far above the largest.
    const double log2_a = std::log2(static_cast<double>(a));
    const double exponent = static_cast<double>(random() % 3000001) * 1e-4 - 150.0;
    auto b = static_cast<float>(exponent / (log2_a == 0.0 ? 1.0 : log2_a));
    if (i % 5 == 0) b = static_cast<float>(random() % 21) - 10.0f;
    if (i % 7 == 0) b = std::round(2 * b) / 2;
    if (b == std::round(b) && random() % 2 == 0) a = -a;
    worst = std::max(worst, error.ulp(a, b, power(a, b)));
  }
  CAPTURE(worst);
  CHECK(worst <= 0.501);
}

TEST_CASE("power: exact where the result is a number of FP32") {
  CHECK(power(3.0f, 4.0f) == 81.0f);
  CHECK(power(2.0f, -149.0f) == float_of(1));
  CHECK(power(-2.0f, 3.0f) == -8.0f);
  CHECK(power(-2.0f, -2.0f) == 0.25f);
  CHECK(power(6.25f, 0.5f) == 2.5f);
  CHECK(power(4095.0f, 2.0f) == 16769025.0f);
  CHECK(power(10.0f, 10.0f) == 1e10f);
}

TEST_CASE("power: special values as in C") {
  const float values[] = {0.0f,     -0.0f,       1.0f,        -1.0f,       0.5f,        -0.5f,
                          2.0f,     -2.0f,       3.0f,        -3.0f,       2.5f,        -2.5f,
                          INFINITY, -INFINITY,   kNan,        1e-40f,      -1e-40f,     3e38f,
                          -3e38f,   16777215.0f, 16777216.0f, 33554434.0f, -16777215.0f};
  std::size_t wrong = 0;
  for (const float a : values) {
    for (const float b : values) {
      // The C library's double: exact for special values, approximate for the others.
      const auto expected = static_cast<float>(std::pow(double{a}, double{b}));
      const float y = power(a, b);
      const bool special = std::isnan(expected) || std::isinf(expected) || expected == 0.0f;
      if (special ? bits_of(y) != bits_of(canonical(expected))
                  : std::fabs(y - expected) > 1e-6f * std::fabs(expected)) {
        ++wrong;
        WARN(a << " to the power of " << b << " = " << y << ", not " << expected);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("rsqrt is the correctly rounded one: random operands, special values") {
  std::mt19937_64 random(tern::tb::test_seed());
  tern::tb::MpfrOracle oracle;
  mpfr_t a, y;
  mpfr_init2(a, 24);
  mpfr_init2(y, 24);
  std::size_t wrong = 0;
  for (int i = 0; i < 50000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random()) & 0x7FFFFFFF;
    if (bits == 0 || bits >= 0x7F800000) continue;
    mpfr_set_flt(a, float_of(bits), MPFR_RNDN);
    mpfr_rec_sqrt(y, a, MPFR_RNDN);
    wrong += bits_of(rsqrt(float_of(bits))) != bits_of(mpfr_get_flt(y, MPFR_RNDN));
  }
  mpfr_clear(a);
  mpfr_clear(y);
  CHECK(wrong == 0);
  CHECK(rsqrt(0.0f) == INFINITY);
  CHECK(rsqrt(-0.0f) == -INFINITY);
  CHECK(bits_of(rsqrt(INFINITY)) == 0);
  CHECK(bits_of(rsqrt(-1.0f)) == kCanonicalNan);
  CHECK(bits_of(rsqrt(float_of(0xFF800001))) == kCanonicalNan);
}

TEST_CASE("Larger and smaller absolute value") {
  CHECK(absolute_maximum(-3.0f, 2.0f) == 3.0f);
  CHECK(absolute_minimum(-3.0f, 2.0f) == 2.0f);
  CHECK(bits_of(absolute_maximum(-0.0f, -0.0f)) == 0);
  CHECK(bits_of(absolute_minimum(-0.0f, 5.0f)) == 0);
  CHECK(absolute_maximum(-INFINITY, 1.0f) == INFINITY);
  CHECK(bits_of(absolute_maximum(float_of(0xFFC00001), 1.0f)) == kCanonicalNan);
  CHECK(bits_of(absolute_minimum(1.0f, kNan)) == kCanonicalNan);
}

TEST_CASE("Truth values: everything but zero is true") {
  for (const float a : {0.0f, -0.0f, 1.0f, -2.0f, INFINITY, kNan, float_of(1)}) {
    for (const float b : {0.0f, -0.0f, 1.0f, -2.0f, INFINITY, kNan, float_of(1)}) {
      const bool p = (bits_of(a) & 0x7FFFFFFF) != 0, q = (bits_of(b) & 0x7FFFFFFF) != 0;
      CHECK(logical_and(a, b) == (p && q ? 1.0f : 0.0f));
      CHECK(logical_or(a, b) == (p || q ? 1.0f : 0.0f));
      CHECK(logical_xor(a, b) == (p != q ? 1.0f : 0.0f));
    }
  }
}

TEMPLATE_TEST_CASE("Bit operations of one word size", "", std::uint8_t, std::uint16_t,
                   std::uint32_t) {
  constexpr unsigned kBits = 8 * sizeof(TestType);
  constexpr auto kOnes = static_cast<TestType>(~TestType{0});
  constexpr auto kTop = static_cast<TestType>(TestType{1} << (kBits - 1));
  CHECK(bit_not(TestType{0}) == kOnes);
  CHECK(bit_and(kOnes, TestType{0x5A}) == 0x5A);
  CHECK(bit_or(kTop, TestType{1}) == static_cast<TestType>(kTop + 1));
  CHECK(bit_xor(kOnes, TestType{1}) == static_cast<TestType>(kOnes - 1));
  CHECK(shift_left(TestType{1}, static_cast<TestType>(kBits - 1)) == kTop);
  CHECK(shift_left(kOnes, TestType{1}) == static_cast<TestType>(kOnes - 1));
  CHECK(shift_right(kTop, static_cast<TestType>(kBits - 1)) == 1);
  CHECK(shift_right(kOnes, TestType{0}) == kOnes);
  // From the width on nothing is left, whatever the upper bits of the distance.
  CHECK(shift_left(kOnes, static_cast<TestType>(kBits)) == 0);
  CHECK(shift_right(kOnes, static_cast<TestType>(kBits)) == 0);
  CHECK(shift_left(kOnes, kOnes) == 0);
  CHECK(shift_right(kOnes, kTop) == 0);
}
