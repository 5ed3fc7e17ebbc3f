// SPDX-License-Identifier: Apache-2.0
// Conversions between the formats and to and from integers, against MPFR and the host.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <type_traits>

#include "tb/common/seed.h"
#include "tb/riscv/float/comparison.h"
#include "tb/riscv/float/host_oracle.h"
#include "tb/riscv/float/mpfr_oracle.h"
#include "tb/riscv/float/operands.h"

using namespace tern;
using namespace tern::tb;

namespace {

constexpr int kRandom = 20000;

template <typename Int>
constexpr const char* kIntegerName = std::is_signed_v<Int>
                                         ? (sizeof(Int) == 4 ? "int32" : "int64")
                                         : (sizeof(Int) == 4 ? "uint32" : "uint64");

class Conversions {
 public:
  template <typename Int, typename Bits>
  void check_to(Bits value) {
    exact_.take(value);
    for (const riscv::Rounding rounding : kRoundings) {
      const Outcome got = outcome_of(rounding, [&](auto& context) {
        return static_cast<std::make_unsigned_t<Int>>(riscv::to_integer<Int>(value, context));
      });
      const auto what = [&] {
        return fmt::format("to {} {} 0x{:X}", kIntegerName<Int>, name_of(rounding), value);
      };
      log_.expect(exact_.rounded_to_integer<Int>(rounding), got, kWidth<Int>, "MPFR", what);
      if (!host::rounds(rounding)) continue;
      log_.expect(host::to_integer<Int>(value, rounding), got, kWidth<Int>, "host", what);
    }
  }
  template <typename Bits, typename Int>
  void check_from(Int value) {
    exact_.take_integer(value);
    for (const riscv::Rounding rounding : kRoundings) {
      const Outcome got = outcome_of(
          rounding, [&](auto& context) { return riscv::from_integer<Bits>(value, context); });
      const auto what = [&] {
        return fmt::format("from {} {} {}", kIntegerName<Int>, name_of(rounding), value);
      };
      log_.expect(exact_.rounded<Bits>(rounding), got, kWidth<Bits>, "MPFR", what);
      if (!host::rounds(rounding)) continue;
      log_.expect(host::from_integer<Bits>(value, rounding), got, kWidth<Bits>, "host", what);
    }
  }
  void check_narrow(std::uint64_t value) {
    exact_.take(value);
    for (const riscv::Rounding rounding : kRoundings) {
      const Outcome got =
          outcome_of(rounding, [&](auto& context) { return riscv::narrow(value, context); });
      const auto what = [&] { return fmt::format("narrow {} 0x{:X}", name_of(rounding), value); };
      log_.expect(exact_.rounded<std::uint32_t>(rounding), got, 32, "MPFR", what);
      if (!host::rounds(rounding)) continue;
      log_.expect(host::narrow(value, rounding), got, 32, "host", what);
    }
  }
  void check_widen(std::uint32_t value) {
    const auto rounding = riscv::Rounding::kNearestEven;
    const Outcome got =
        outcome_of(rounding, [&](auto& context) { return riscv::widen(value, context); });
    const auto what = [&] { return fmt::format("widen 0x{:X}", value); };
    exact_.take(value);
    log_.expect(exact_.rounded<std::uint64_t>(rounding), got, 64, "MPFR", what);
    log_.expect(host::widen(value), got, 64, "host", what);
  }
  template <typename Bits>
  void check_to_all(Bits value) {
    check_to<std::int32_t>(value);
    check_to<std::uint32_t>(value);
    check_to<std::int64_t>(value);
    check_to<std::uint64_t>(value);
  }
  void report() const { log_.report(); }

 private:
  RoundingOracle exact_;
  Comparison log_;
};

}  // namespace

TEMPLATE_TEST_CASE("riscv float: to integers of 32 and 64 bits", "", std::uint32_t, std::uint64_t) {
  Conversions conversions;
  for (const TestType value : edge_numbers<TestType>()) conversions.check_to_all(value);
  RandomOperands<TestType> random(test_seed());
  for (int i = 0; i < kRandom; ++i) {
    conversions.check_to_all(random.number());
    conversions.check_to_all(random.near_integer());
  }
  conversions.report();
}

TEMPLATE_TEST_CASE("riscv float: from integers", "", std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
  Conversions conversions;
  const auto check = [&](TestType value) {
    conversions.check_from<std::uint32_t>(value);
    conversions.check_from<std::uint64_t>(value);
  };
  for (const TestType value : edge_integers<TestType>()) check(value);
  RandomOperands<std::uint64_t> random(test_seed());
  for (int i = 0; i < kRandom; ++i) check(random.integer<TestType>());
  conversions.report();
}

TEST_CASE("riscv float: between the formats") {
  Conversions conversions;
  RandomOperands<std::uint32_t> singles(test_seed());
  RandomOperands<std::uint64_t> doubles(test_seed());
  for (const std::uint32_t value : edge_numbers<std::uint32_t>()) {
    conversions.check_widen(value);
    // Around every edge of the narrow format: a unit of the wide one, a tie, both sides of a tie.
    const std::uint64_t wide = host::widen(value).bits;
    for (const std::uint64_t part : {0x0ull, 0x1ull, 0x0FFFFFFFull, 0x10000000ull, 0x10000001ull}) {
      conversions.check_narrow(wide + part);
      conversions.check_narrow(wide - part);
    }
  }
  for (const std::uint64_t value : edge_numbers<std::uint64_t>()) conversions.check_narrow(value);
  for (int i = 0; i < kRandom; ++i) {
    const std::uint32_t single = singles.number();
    conversions.check_widen(single);
    conversions.check_narrow(doubles.number());
    // Somewhere between a number of the narrow format and the next, subnormals included.
    const std::uint64_t between = doubles.number() & 0x1FFFFFFF;
    conversions.check_narrow(host::widen(single).bits | between);
  }
  conversions.report();
}
