// SPDX-License-Identifier: Apache-2.0
// Six operations in five rounding modes against MPFR and the host's floating-point unit.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/riscv/float/comparison.h"
#include "tb/riscv/float/host_oracle.h"
#include "tb/riscv/float/mpfr_oracle.h"
#include "tb/riscv/float/operands.h"

using namespace tern;
using namespace tern::tb;

namespace {

template <typename Bits>
Bits run(Operation operation, const Operands<Bits>& x, riscv::FloatContext& context) {
  switch (operation) {
    case Operation::kAdd:
      return riscv::add(x.a, x.b, context);
    case Operation::kSub:
      return riscv::sub(x.a, x.b, context);
    case Operation::kMul:
      return riscv::mul(x.a, x.b, context);
    case Operation::kDiv:
      return riscv::div(x.a, x.b, context);
    case Operation::kSqrt:
      return riscv::sqrt(x.a, context);
    case Operation::kFma:
      return riscv::fused_multiply_add(x.a, x.b, x.c, context);
  }
  return 0;
}

// The host follows IEEE 754, which leaves it open whether infinity * 0 + quiet NaN is invalid.
template <typename Bits>
bool left_open(Operation operation, const Operands<Bits>& x) {
  if (operation != Operation::kFma) return false;
  constexpr std::uint64_t kInfinities = 0x81, kZeros = 0x18, kQuietNan = 0x200;
  const std::uint64_t factors = host::classify(x.a).bits | host::classify(x.b).bits;
  return host::classify(x.c).bits == kQuietNan && (factors & kInfinities) != 0 &&
         (factors & kZeros) != 0;
}

template <typename Bits>
class Arithmetic {
 public:
  void check(Operation operation, const Operands<Bits>& x) {
    exact_.compute(operation, x);
    for (const riscv::Rounding rounding : kRoundings) {
      const Outcome got =
          outcome_of(rounding, [&](auto& context) { return run(operation, x, context); });
      const auto what = [&] {
        return fmt::format("{} {} 0x{:X} 0x{:X} 0x{:X}", name_of(operation), name_of(rounding), x.a,
                           x.b, x.c);
      };
      log_.expect(exact_.rounded<Bits>(rounding), got, kWidth<Bits>, "MPFR", what);
      if (!host::rounds(rounding) || left_open(operation, x)) continue;
      log_.expect(host::compute(operation, x, rounding), got, kWidth<Bits>, "host", what);
    }
  }
  void report() const { log_.report(); }

 private:
  RoundingOracle exact_;
  Comparison log_;
};

constexpr int kRandom = 40000;

}  // namespace

TEMPLATE_TEST_CASE("riscv float: arithmetic of all pairs of edge numbers", "", std::uint32_t,
                   std::uint64_t) {
  Arithmetic<TestType> arithmetic;
  const std::vector<TestType> numbers = edge_numbers<TestType>();
  for (const TestType a : numbers) {
    arithmetic.check(Operation::kSqrt, {a, 0, 0});
    for (const TestType b : numbers) {
      for (const auto operation :
           {Operation::kAdd, Operation::kSub, Operation::kMul, Operation::kDiv}) {
        arithmetic.check(operation, {a, b, 0});
      }
    }
  }
  arithmetic.report();
}

TEMPLATE_TEST_CASE("riscv float: fused multiply-add of triples of edge numbers", "", std::uint32_t,
                   std::uint64_t) {
  Arithmetic<TestType> arithmetic;
  const std::vector<TestType> numbers = main_numbers<TestType>();
  for (const TestType a : numbers) {
    for (const TestType b : numbers) {
      for (const TestType c : numbers) arithmetic.check(Operation::kFma, {a, b, c});
    }
  }
  arithmetic.report();
}

TEMPLATE_TEST_CASE("riscv float: arithmetic of random operands", "", std::uint32_t, std::uint64_t) {
  Arithmetic<TestType> arithmetic;
  RandomOperands<TestType> random(test_seed());
  for (int i = 0; i < kRandom; ++i) {
    for (const Operation operation : kOperations) {
      arithmetic.check(operation, random.operands(operation));
    }
  }
  arithmetic.report();
}
