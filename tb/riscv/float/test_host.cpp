// SPDX-License-Identifier: Apache-2.0
// The interpreter's arithmetic against the host's floating-point unit: values and flags.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "systemc/riscv/float/soft_float.h"
#include "tb/common/seed.h"
#include "tb/riscv/float/host_float.h"
#include "tb/riscv/float/operands.h"

using namespace tern;  // NOLINT
using riscv::FloatContext;
using riscv::Rounding;
using tb::Operation;

namespace {

constexpr Rounding kHostModes[] = {Rounding::kNearestEven, Rounding::kTowardZero, Rounding::kDown,
                                   Rounding::kUp};

template <typename Bits>
Bits soft_result(Operation operation, Bits a, Bits b, Bits c, FloatContext& context) {
  switch (operation) {
    case Operation::kAdd:
      return riscv::add(a, b, context);
    case Operation::kSub:
      return riscv::sub(a, b, context);
    case Operation::kMul:
      return riscv::mul(a, b, context);
    case Operation::kDiv:
      return riscv::div(a, b, context);
    case Operation::kSqrt:
      return riscv::sqrt(a, context);
    default:
      return riscv::fused_multiply_add(a, b, c, context);
  }
}

// The host leaves inf * 0 + quiet NaN quiet; RISC-V calls it invalid.
template <typename Bits>
bool host_differs(Operation operation, Bits a, Bits b, Bits c) {
  constexpr Bits kMagnitude = ~(Bits{1} << (8 * sizeof(Bits) - 1));
  constexpr Bits kInfinity = sizeof(Bits) == 4 ? 0x7f800000u : Bits(0x7ff0000000000000u);
  const Bits x = a & kMagnitude, y = b & kMagnitude;
  const bool undefined = (x == kInfinity && y == 0) || (x == 0 && y == kInfinity);
  return operation == Operation::kFma && undefined && (c & kMagnitude) > kInfinity;
}

template <typename Bits>
void compare(Operation operation, Bits a, Bits b, Bits c, Rounding rounding) {
  if (host_differs(operation, a, b, c)) return;
  FloatContext soft{rounding}, host{rounding};
  const Bits got = soft_result(operation, a, b, c, soft);
  const Bits expected = tb::host_result(operation, a, b, c, host);
  if (got == expected && soft.flags == host.flags) return;
  CAPTURE(static_cast<int>(operation), static_cast<int>(rounding), tb::test_seed());
  INFO(std::hex << "a " << a << " b " << b << " c " << c);
  CHECK(got == expected);
  REQUIRE(int{soft.flags} == int{host.flags});
}

template <typename Bits>
void compare_edges() {
  const std::vector<Bits> edges = tb::edge_operands<Bits>();
  std::mt19937_64 random(tb::test_seed());
  for (const Bits a : edges) {
    for (const Bits b : edges) {
      const Bits c = edges[random() % edges.size()];
      for (const Rounding rounding : kHostModes) {
        for (int i = 0; i <= static_cast<int>(Operation::kFma); ++i)
          compare(static_cast<Operation>(i), a, b, c, rounding);
      }
    }
  }
}

template <typename Bits>
void compare_random(unsigned count) {
  std::mt19937_64 random(tb::test_seed());
  for (unsigned i = 0; i < count; ++i) {
    const Bits a = tb::random_operand<Bits>(random, 0);
    const Bits b = tb::random_operand<Bits>(random, a);
    // Close to the product, so that the sum cancels.
    FloatContext ignored;
    const Bits c = tb::random_operand<Bits>(random, riscv::mul(a, b, ignored));
    const auto operation = static_cast<Operation>(random() % 6);
    compare(operation, a, b, c, kHostModes[random() % 4]);
  }
}

template <typename Bits>
double value_of(Bits bits) {
  if constexpr (sizeof(Bits) == 4) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  } else {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
}

// From the number rounded to an integral value, whose limits a double holds or exceeds.
template <typename Int, typename Bits>
void compare_to_integer(Bits a, Rounding rounding) {
  FloatContext context{rounding};
  const Int got = riscv::to_integer<Int, Bits>(a, context);
  const double exact = value_of(a), integral = value_of(tb::host_to_integral(a, rounding));
  const double end = std::ldexp(1.0, std::numeric_limits<Int>::digits);
  const double begin = std::numeric_limits<Int>::is_signed ? -end : 0;
  Int expected;
  int flags = 0;
  if (std::isnan(exact) || integral >= end || integral < begin) {
    flags = riscv::kInvalid;
    const bool low = !std::isnan(exact) && integral < begin;
    expected = low ? std::numeric_limits<Int>::min() : std::numeric_limits<Int>::max();
  } else {
    expected = static_cast<Int>(integral);
    flags = integral == exact ? 0 : riscv::kInexact;
  }
  if (got == expected && context.flags == flags) return;
  CAPTURE(static_cast<int>(rounding), sizeof(Int), tb::test_seed(), exact);
  CHECK(got == expected);
  REQUIRE(int{context.flags} == flags);
}

template <typename Bits>
void compare_conversions(Bits a, Rounding rounding) {
  compare_to_integer<std::int32_t>(a, rounding);
  compare_to_integer<std::uint32_t>(a, rounding);
  compare_to_integer<std::int64_t>(a, rounding);
  compare_to_integer<std::uint64_t>(a, rounding);
}

template <typename Bits>
void compare_from_integer(std::int64_t value, Rounding rounding) {
  FloatContext soft{rounding}, host{rounding};
  CAPTURE(value, static_cast<int>(rounding));
  REQUIRE(riscv::from_integer<Bits>(value, soft) ==
          tb::host_from_integer<Bits>(value, false, host));
  REQUIRE(riscv::from_integer<Bits>(static_cast<std::uint64_t>(value), soft) ==
          tb::host_from_integer<Bits>(value, true, host));
  const auto low = static_cast<std::int32_t>(value);
  REQUIRE(riscv::from_integer<Bits>(low, soft) == tb::host_from_integer<Bits>(low, false, host));
  const auto bits = static_cast<std::uint32_t>(value);
  REQUIRE(riscv::from_integer<Bits>(bits, soft) == tb::host_from_integer<Bits>(bits, false, host));
  REQUIRE(int{soft.flags} == int{host.flags});
}

}  // namespace

TEST_CASE("edge operands: values and flags of binary32 as the host's") {
  compare_edges<std::uint32_t>();
}

TEST_CASE("edge operands: values and flags of binary64 as the host's") {
  compare_edges<std::uint64_t>();
}

TEST_CASE("random operands: values and flags of both formats as the host's") {
  compare_random<std::uint32_t>(3000000);
  compare_random<std::uint64_t>(3000000);
}

TEST_CASE("conversions between formats and to integers as the host's") {
  constexpr Rounding kModes[] = {Rounding::kNearestEven, Rounding::kTowardZero, Rounding::kDown,
                                 Rounding::kUp, Rounding::kNearestMaxMagnitude};
  std::mt19937_64 random(tb::test_seed());
  std::vector<std::uint32_t> singles = tb::edge_operands<std::uint32_t>();
  std::vector<std::uint64_t> doubles = tb::edge_operands<std::uint64_t>();
  for (int i = 0; i < 200000; ++i) {
    singles.push_back(tb::random_operand<std::uint32_t>(random, 0x4b000000));
    doubles.push_back(tb::random_operand<std::uint64_t>(random, 0x4190000000000000));
  }
  for (const Rounding rounding : kModes) {
    for (const std::uint32_t a : singles) compare_conversions(a, rounding);
    for (const std::uint64_t a : doubles) compare_conversions(a, rounding);
  }
  for (const Rounding rounding : kHostModes) {
    for (const std::uint32_t a : singles) {
      FloatContext soft{rounding}, host{rounding};
      REQUIRE(riscv::widen(a, soft) == tb::host_widen(a, host));
      REQUIRE(int{soft.flags} == int{host.flags});
    }
    for (const std::uint64_t a : doubles) {
      FloatContext soft{rounding}, host{rounding};
      REQUIRE(riscv::narrow(a, soft) == tb::host_narrow(a, host));
      REQUIRE(int{soft.flags} == int{host.flags});
    }
    for (int i = 0; i < 100000; ++i) {
      const auto value = static_cast<std::int64_t>(random()) >> (random() % 64);
      compare_from_integer<std::uint32_t>(value, rounding);
      compare_from_integer<std::uint64_t>(value, rounding);
    }
  }
}

TEST_CASE("comparisons, minimum, maximum and classes follow the manual's tables") {
  using Bits = std::uint32_t;
  const std::vector<Bits> edges = tb::edge_operands<Bits>();
  for (const Bits a : edges) {
    const double x = value_of(a);
    const bool signalling = std::isnan(x) && (a & 0x400000) == 0;
    const unsigned kind = std::isnan(x)             ? (signalling ? 8 : 9)
                          : std::isinf(x)           ? (x < 0 ? 0 : 7)
                          : x == 0                  ? (std::signbit(x) ? 3 : 4)
                          : std::fabs(x) < 0x1p-126 ? (x < 0 ? 2 : 5)
                                                    : (x < 0 ? 1 : 6);
    REQUIRE(riscv::classify(a) == 1u << kind);
    for (const Bits b : edges) {
      const double y = value_of(b);
      const bool nan = std::isnan(x) || std::isnan(y);
      const bool invalid = signalling || (std::isnan(y) && (b & 0x400000) == 0);
      INFO(std::hex << a << " " << b);
      FloatContext eq, lt, le, low, high;
      REQUIRE(riscv::equal(a, b, eq) == (x == y));
      REQUIRE(riscv::less(a, b, lt) == (x < y));
      REQUIRE(riscv::less_equal(a, b, le) == (x <= y));
      REQUIRE(eq.flags == (invalid ? riscv::kInvalid : 0));
      REQUIRE(lt.flags == (nan ? riscv::kInvalid : 0));
      REQUIRE(le.flags == lt.flags);
      const Bits least = riscv::min(a, b, low), most = riscv::max(a, b, high);
      REQUIRE(low.flags == eq.flags);
      REQUIRE(high.flags == eq.flags);
      if (std::isnan(x) && std::isnan(y)) {
        REQUIRE(least == 0x7fc00000u);
        REQUIRE(most == 0x7fc00000u);
      } else if (nan) {
        REQUIRE(least == (std::isnan(x) ? b : a));
        REQUIRE(most == least);
      } else {
        const bool a_first = x < y || (x == y && std::signbit(x) >= std::signbit(y));
        REQUIRE(least == (a_first ? a : b));
        REQUIRE(most == (a_first ? b : a));
      }
    }
  }
}
