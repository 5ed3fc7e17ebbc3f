// SPDX-License-Identifier: Apache-2.0
// Comparisons and classes against the host; minimum and maximum by their definition.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tb/common/seed.h"
#include "tb/riscv/float/comparison.h"
#include "tb/riscv/float/host_oracle.h"
#include "tb/riscv/float/operands.h"

using namespace tern;
using namespace tern::tb;

namespace {

template <typename Bits>
class Comparisons {
 public:
  void check(Bits a, Bits b) {
    expect("equal", a, b, host::compare(Relation::kEqual, a, b), riscv::equal<Bits>);
    expect("less", a, b, host::compare(Relation::kLess, a, b), riscv::less<Bits>);
    expect("less_equal", a, b, host::compare(Relation::kLessEqual, a, b), riscv::less_equal<Bits>);
    expect("min", a, b, extremum(a, b, false), riscv::min<Bits>);
    expect("max", a, b, extremum(a, b, true), riscv::max<Bits>);
  }
  void check_class(Bits a) {
    log_.expect(host::classify(a), {riscv::classify(a)}, 12, "host",
                [&] { return fmt::format("class of 0x{:X}", a); });
  }
  void report() const { log_.report(); }

 private:
  template <typename Function>
  void expect(const char* name, Bits a, Bits b, const Outcome& expected, Function* function) {
    const Outcome got = outcome_of(riscv::Rounding::kNearestEven,
                                   [&](auto& context) { return function(a, b, context); });
    log_.expect(expected, got, kWidth<Bits>, "host",
                [&] { return fmt::format("{} 0x{:X} 0x{:X}", name, a, b); });
  }

  // The specification: of numbers the smaller, -0 below +0; of a number and a NaN the number; of
  // NaNs the canonical one; a signalling NaN is invalid.
  static Outcome extremum(Bits a, Bits b, bool greatest) {
    const std::uint64_t class_a = host::classify(a).bits, class_b = host::classify(b).bits;
    const bool nan_a = class_a >= 0x100, nan_b = class_b >= 0x100;
    Outcome outcome;
    if (class_a == 0x100 || class_b == 0x100) outcome.flags = riscv::kInvalid;
    bool first = nan_b;
    if (!nan_a && !nan_b) {
      const bool below = host::compare(Relation::kLess, a, b).bits != 0;
      const bool same = host::compare(Relation::kEqual, a, b).bits != 0;
      first = same ? (class_a == 0x8) != greatest : below != greatest;
    }
    outcome.bits = nan_a && nan_b ? riscv::kCanonicalNan<Bits> : first ? a : b;
    return outcome;
  }

  Comparison log_;
};

}  // namespace

TEMPLATE_TEST_CASE("riscv float: comparisons, minimum, maximum and classes", "", std::uint32_t,
                   std::uint64_t) {
  Comparisons<TestType> comparisons;
  const std::vector<TestType> numbers = edge_numbers<TestType>();
  for (const TestType a : numbers) {
    comparisons.check_class(a);
    for (const TestType b : numbers) comparisons.check(a, b);
  }
  RandomOperands<TestType> random(test_seed());
  for (int i = 0; i < 20000; ++i) {
    const Operands<TestType> x = random.operands(Operation::kAdd);
    comparisons.check_class(x.a);
    comparisons.check(x.a, x.b);
  }
  comparisons.report();
}
