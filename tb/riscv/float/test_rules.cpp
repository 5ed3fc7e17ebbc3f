// SPDX-License-Identifier: Apache-2.0
// What the specification states in words, with results worked out by hand.
#include <catch2/catch.hpp>
#include <cfenv>
#include <cstdint>

#include "systemc/riscv/float/boxing.h"
#include "systemc/riscv/float/soft_float.h"
#include "tb/riscv/float/comparison.h"

using namespace tern::riscv;
using tern::tb::Outcome;
using tern::tb::outcome_of;

namespace {

constexpr std::uint32_t kOne = 0x3F800000, kMin = 0x00800000, kMax = 0x7F7FFFFF;
constexpr std::uint32_t kInfinity = 0x7F800000, kSign = 0x80000000;
constexpr std::uint32_t kQuiet = 0xFFC12345, kSignalling = 0x7F800001;
constexpr std::uint32_t kNan = kCanonicalNan<std::uint32_t>;

// In each mode, in the order of its encoding.
template <typename Run>
void check_modes(const std::uint32_t (&expected)[5], unsigned flags, const Run& run) {
  for (unsigned mode = 0; mode < 5; ++mode) {
    CAPTURE(mode);
    const Outcome got = outcome_of(static_cast<Rounding>(mode), run);
    CHECK(got.bits == expected[mode]);
    CHECK(unsigned{got.flags} == flags);
  }
}

template <typename Run>
Outcome nearest(const Run& run) {
  return outcome_of(Rounding::kNearestEven, run);
}

}  // namespace

TEST_CASE("riscv float: ties, infinity and the largest number in each rounding mode") {
  const std::uint32_t half_ulp = 0x33800000;  // of 1: 2^-24
  check_modes({kOne, kOne, kOne, kOne + 1, kOne + 1}, kInexact,
              [&](auto& context) { return add(kOne, half_ulp, context); });
  check_modes({kOne + 2, kOne + 1, kOne + 1, kOne + 2, kOne + 2}, kInexact,
              [&](auto& context) { return add(kOne + 1, half_ulp, context); });
  check_modes({kInfinity, kMax, kMax, kInfinity, kInfinity}, kOverflow | kInexact,
              [](auto& context) { return add(kMax, kMax, context); });
  check_modes({kInfinity | kSign, kMax | kSign, kInfinity | kSign, kMax | kSign, kInfinity | kSign},
              kOverflow | kInexact, [](auto& context) { return mul(kMax | kSign, kMax, context); });
}

TEST_CASE("riscv float: the sign of a sum that is zero") {
  check_modes({0, 0, kSign, 0, 0}, 0, [](auto& context) { return sub(kOne, kOne, context); });
  check_modes({0, 0, kSign, 0, 0}, 0, [](auto& context) { return add(0u, kSign, context); });
  check_modes({kSign, kSign, kSign, kSign, kSign}, 0,
              [](auto& context) { return add(kSign, kSign, context); });
  check_modes({0, 0, kSign, 0, 0}, 0,
              [](auto& context) { return fused_multiply_add(kOne, kOne, kOne | kSign, context); });
}

TEST_CASE("riscv float: tiny is what is tiny after rounding") {
  const std::uint32_t below_one = kOne - 1;  // 1 - 2^-24
  // 2^-126 - 2^-150 has 24 bits: tiny, though a tie at the unit of subnormals ends at 2^-126.
  check_modes({kMin, kMin - 1, kMin - 1, kMin, kMin}, kInexact | kUnderflow,
              [&](auto& context) { return mul(kMin, below_one, context); });
  // 2^-126 - 2^-151 rounds to 2^-126 with 24 bits: not tiny in the modes that do so.
  const std::uint32_t quarter = 0x80000001, scale = 0x3E800000;  // -2^-149 * 1/4
  for (const auto rounding : {Rounding::kNearestEven, Rounding::kUp}) {
    const Outcome got = outcome_of(
        rounding, [&](auto& context) { return fused_multiply_add(quarter, scale, kMin, context); });
    CHECK(got.bits == kMin);
    CHECK(got.flags == kInexact);
  }
  const Outcome down = outcome_of(Rounding::kTowardZero, [&](auto& context) {
    return fused_multiply_add(quarter, scale, kMin, context);
  });
  CHECK(down.bits == kMin - 1);
  CHECK(down.flags == (kInexact | kUnderflow));
  // An exact subnormal raises nothing.
  CHECK(nearest([](auto& context) { return mul(kMin, 0x3F000000u, context); }) ==
        Outcome{kMin / 2, 0});
}

TEST_CASE("riscv float: NaNs are canonical, and invalid where they signal") {
  const Outcome quiet{kNan, 0}, invalid{kNan, kInvalid};
  CHECK(nearest([](auto& c) { return add(kQuiet, kOne, c); }) == quiet);
  CHECK(nearest([](auto& c) { return mul(kOne, kSignalling, c); }) == invalid);
  CHECK(nearest([](auto& c) { return mul(kInfinity, 0u, c); }) == invalid);
  CHECK(nearest([](auto& c) { return sub(kInfinity, kInfinity, c); }) == invalid);
  CHECK(nearest([](auto& c) { return div(0u, kSign, c); }) == invalid);
  CHECK(nearest([](auto& c) { return div(kInfinity, kInfinity, c); }) == invalid);
  CHECK(nearest([](auto& c) { return sqrt(kOne | kSign, c); }) == invalid);
  CHECK(nearest([](auto& c) { return sqrt(kSign, c); }) == Outcome{kSign, 0});
  CHECK(nearest([](auto& c) { return div(kOne, kSign, c); }) ==
        Outcome{kInfinity | kSign, kDivideByZero});
  CHECK(nearest([](auto& c) { return div(kInfinity, 0u, c); }) == Outcome{kInfinity, 0});
  // Invalid even though the addend is a quiet NaN.
  CHECK(nearest([](auto& c) { return fused_multiply_add(kInfinity, 0u, kQuiet, c); }) == invalid);
  CHECK(nearest([](auto& c) { return fused_multiply_add(kOne, kOne, kQuiet, c); }) == quiet);
  CHECK(nearest([](auto& c) { return widen(kSignalling, c); }) ==
        Outcome{0x7FF8000000000000, kInvalid});
  CHECK(nearest([](auto& c) { return narrow(0xFFF8000000000001, c); }) == quiet);
}

TEST_CASE("riscv float: minimum and maximum prefer numbers and order zeros") {
  CHECK(nearest([](auto& c) { return min(0u, kSign, c); }) == Outcome{kSign, 0});
  CHECK(nearest([](auto& c) { return max(kSign, 0u, c); }) == Outcome{0, 0});
  CHECK(nearest([](auto& c) { return min(kQuiet, kOne, c); }) == Outcome{kOne, 0});
  CHECK(nearest([](auto& c) { return max(kOne, kSignalling, c); }) == Outcome{kOne, kInvalid});
  CHECK(nearest([](auto& c) { return max(kQuiet, kQuiet, c); }) == Outcome{kNan, 0});
}

TEST_CASE("riscv float: equal is quiet, less signals") {
  CHECK(nearest([](auto& c) { return equal(kQuiet, kQuiet, c); }) == Outcome{0, 0});
  CHECK(nearest([](auto& c) { return equal(kSignalling, kOne, c); }) == Outcome{0, kInvalid});
  CHECK(nearest([](auto& c) { return less(kOne, kQuiet, c); }) == Outcome{0, kInvalid});
  CHECK(nearest([](auto& c) { return less_equal(kQuiet, kQuiet, c); }) == Outcome{0, kInvalid});
  CHECK(nearest([](auto& c) { return equal(kSign, 0u, c); }) == Outcome{1, 0});
}

TEST_CASE("riscv float: each class has its bit") {
  const std::uint32_t values[] = {kInfinity | kSign, kOne | kSign, 1 | kSign, kSign, 0, 1, kOne,
                                  kInfinity,         kSignalling,  kQuiet};
  for (unsigned bit = 0; bit < 10; ++bit) {
    CAPTURE(bit);
    CHECK(classify(values[bit]) == 1u << bit);
  }
}

// The table "domains of float-to-integer conversions" of the specification.
TEST_CASE("riscv float: integers saturate, NaN is the largest") {
  const auto check = [](auto lowest, auto highest) {
    using Int = decltype(lowest);
    for (const std::uint32_t high : {kInfinity, kMax, kQuiet, kSignalling}) {
      FloatContext context{Rounding::kNearestEven};
      CHECK(to_integer<Int>(high, context) == highest);
      CHECK(context.flags == kInvalid);
    }
    for (const std::uint32_t low : {kInfinity | kSign, kMax | kSign}) {
      FloatContext context{Rounding::kNearestEven};
      CHECK(to_integer<Int>(low, context) == lowest);
      CHECK(context.flags == kInvalid);
    }
  };
  check(INT32_MIN, INT32_MAX);
  check(std::uint32_t{0}, UINT32_MAX);
  check(std::int64_t{INT64_MIN}, std::int64_t{INT64_MAX});
  check(std::uint64_t{0}, std::uint64_t{UINT64_MAX});

  // -0.5 has an unsigned integer in the modes that give 0.
  const std::uint32_t minus_half = 0xBF000000;
  const auto convert = [&](auto& context) {
    return to_integer<std::uint32_t>(minus_half, context);
  };
  CHECK(outcome_of(Rounding::kNearestEven, convert) == Outcome{0, kInexact});
  CHECK(outcome_of(Rounding::kDown, convert) == Outcome{0, kInvalid});
  CHECK(outcome_of(Rounding::kNearestMaxMagnitude, convert) == Outcome{0, kInvalid});
}

TEST_CASE("riscv float: flags accumulate") {
  FloatContext context{Rounding::kNearestEven};
  div(kOne, 0u, context);
  mul(kMax, kMax, context);
  add(kOne, kOne, context);
  CHECK(context.flags == (kDivideByZero | kOverflow | kInexact));
}

TEST_CASE("riscv float: a register holds a boxed number or a NaN") {
  CHECK(box(kOne) == 0xFFFFFFFF3F800000);
  CHECK(unbox(box(kOne)) == kOne);
  CHECK(unbox(box(kSignalling)) == kSignalling);
  CHECK(unbox(0xFFFFFFFE3F800000) == kNan);
  CHECK(unbox(0x000000003F800000) == kNan);
  CHECK(classify(box(0)) == 1u << 9);
}

TEST_CASE("riscv float: the host's rounding mode and flags stay out") {
  std::fesetround(FE_UPWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  FloatContext context{Rounding::kTowardZero};
  const std::uint32_t third = div(kOne, 0x40400000u, context);
  const std::uint64_t root = sqrt(std::uint64_t{0x4000000000000000}, context);
  const std::uint32_t huge = mul(kMax, kMax, context);
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_TONEAREST);
  CHECK(third == 0x3EAAAAAA);
  CHECK(root == 0x3FF6A09E667F3BCC);
  CHECK(huge == kMax);
  CHECK(raised == 0);
}
