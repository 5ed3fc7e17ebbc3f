// SPDX-License-Identifier: Apache-2.0
// Rounding to nearest with ties away from zero, which no host has: from exact results of MPFR.
#include <mpfr.h>
#include <catch2/catch.hpp>

#include <cstring>
#include <type_traits>

#include "systemc/riscv/float/soft_float.h"
#include "tb/common/seed.h"
#include "tb/riscv/float/host_float.h"
#include "tb/riscv/float/operands.h"

using namespace tern;  // NOLINT
using riscv::FloatContext;
using riscv::Rounding;
using tb::Operation;

namespace {

class Exact {
 public:
  Exact() { mpfr_init2(value, 4800); }  // holds a * b + c of any numbers
  ~Exact() { mpfr_clear(value); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_t value;
};

template <typename Bits>
double value_of(Bits bits) {
  std::conditional_t<sizeof(Bits) == 4, float, double> value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Of the two neighbours of the exact result the nearer one; of equally near ones the larger.
template <typename Bits>
Bits expected_result(Operation operation, Bits a, Bits b, Bits c) {
  FloatContext zero{Rounding::kTowardZero};
  const Bits inner = tb::host_result(operation, a, b, c, zero);
  if ((zero.flags & riscv::kInexact) == 0) return inner;
  static Exact x, y, sum;
  mpfr_set_d(x.value, value_of(a), MPFR_RNDN);
  mpfr_set_d(y.value, value_of(b), MPFR_RNDN);
  if (operation == Operation::kAdd) {
    mpfr_add(x.value, x.value, y.value, MPFR_RNDN);
  } else {
    mpfr_mul(x.value, x.value, y.value, MPFR_RNDN);
  }
  if (operation == Operation::kFma) {
    mpfr_set_d(y.value, value_of(c), MPFR_RNDN);
    mpfr_add(x.value, x.value, y.value, MPFR_RNDN);
  }
  // Twice the exact result against the sum of the neighbours. After the largest number comes the
  // next power of two.
  const Bits outer = inner + 1;
  mpfr_set_d(sum.value, value_of(inner), MPFR_RNDN);
  const int exponents = sizeof(Bits) == 4 ? 128 : 1024;
  const double next = value_of(outer);
  if (next - next == 0) {
    mpfr_set_d(y.value, next, MPFR_RNDN);
  } else {
    mpfr_set_si_2exp(y.value, mpfr_sgn(sum.value), exponents, MPFR_RNDN);
  }
  mpfr_add(sum.value, sum.value, y.value, MPFR_RNDN);
  mpfr_mul_2ui(x.value, x.value, 1, MPFR_RNDN);
  return mpfr_cmpabs(x.value, sum.value) >= 0 ? outer : inner;
}

template <typename Bits>
void compare(unsigned count) {
  std::mt19937_64 random(tb::test_seed());
  constexpr Operation kOperations[] = {Operation::kAdd, Operation::kMul, Operation::kFma};
  unsigned ties = 0;
  for (unsigned i = 0; i < count; ++i) {
    const Bits a = tb::random_operand<Bits>(random, 0);
    const Bits b = tb::random_operand<Bits>(random, a);
    const Bits c = tb::random_operand<Bits>(random, a);
    const Operation operation = kOperations[random() % 3];
    FloatContext context{Rounding::kNearestMaxMagnitude}, even;
    const Bits got = operation == Operation::kAdd   ? riscv::add(a, b, context)
                     : operation == Operation::kMul ? riscv::mul(a, b, context)
                                                    : riscv::fused_multiply_add(a, b, c, context);
    const Bits expected = expected_result(operation, a, b, c);
    if (expected != tb::host_result(operation, a, b, c, even)) ++ties;
    INFO(std::hex << "a " << a << " b " << b << " c " << c);
    CAPTURE(static_cast<int>(operation), tb::test_seed());
    REQUIRE(got == expected);
  }
  CHECK(ties > count / 2000);  // the operands do make ties that differ
}

}  // namespace

TEST_CASE("ties away from zero: the nearer neighbour of MPFR's exact result") {
  compare<std::uint32_t>(300000);
  compare<std::uint64_t>(300000);
}
