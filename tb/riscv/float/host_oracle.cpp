// SPDX-License-Identifier: Apache-2.0
// Compiled with options that let the rounding mode change and keep the flags. Operands and results
// are volatile besides: no operation leaves its place between the two.
#include "tb/riscv/float/host_oracle.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tern::tb::host {
namespace {

using riscv::Rounding;

template <typename Bits>
using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;

template <typename Bits>
Float<Bits> float_of(Bits bits) {
  Float<Bits> value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename Value>
std::uint64_t bits_of(Value value) {
  using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  Bits bits;
  std::memcpy(&bits, &value, sizeof value);
  const Bits infinity = sizeof(Value) == 4 ? Bits{0x7F800000} : Bits(0x7FF0000000000000);
  const bool nan = (bits & (~Bits{0} >> 1)) > infinity;
  return nan ? riscv::kCanonicalNan<Bits> : bits;
}

std::uint8_t raised() {
  const int host = std::fetestexcept(FE_ALL_EXCEPT);
  unsigned flags = 0;
  if ((host & FE_INEXACT) != 0) flags |= riscv::kInexact;
  if ((host & FE_UNDERFLOW) != 0) flags |= riscv::kUnderflow;
  if ((host & FE_OVERFLOW) != 0) flags |= riscv::kOverflow;
  if ((host & FE_DIVBYZERO) != 0) flags |= riscv::kDivideByZero;
  if ((host & FE_INVALID) != 0) flags |= riscv::kInvalid;
  return static_cast<std::uint8_t>(flags);
}

// The flags of what is done between its construction and flags().
class Mode {
 public:
  explicit Mode(Rounding rounding = Rounding::kNearestEven) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(modes[static_cast<unsigned>(rounding)]);
    std::feclearexcept(FE_ALL_EXCEPT);
  }
  ~Mode() { std::fesetround(FE_TONEAREST); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
};

template <typename Value>
Value operate(Operation operation, Value a, Value b, Value c) {
  switch (operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSub:
      return a - b;
    case Operation::kMul:
      return a * b;
    case Operation::kDiv:
      return a / b;
    case Operation::kSqrt:
      return std::sqrt(a);
    case Operation::kFma:
      return std::fma(a, b, c);
  }
  return a;
}

}  // namespace

template <typename Bits>
Outcome compute(Operation operation, const Operands<Bits>& operands, Rounding rounding) {
  const volatile Float<Bits> a = float_of(operands.a), b = float_of(operands.b),
                             c = float_of(operands.c);
  const Mode mode(rounding);
  const volatile Float<Bits> result = operate<Float<Bits>>(operation, a, b, c);
  return {bits_of<Float<Bits>>(result), raised()};
}

template <typename Bits>
Outcome compare(Relation relation, Bits left, Bits right) {
  const volatile Float<Bits> a = float_of(left), b = float_of(right);
  const Mode mode;
  volatile bool result = false;
  if (relation == Relation::kEqual) result = a == b;
  if (relation == Relation::kLess) result = a < b;
  if (relation == Relation::kLessEqual) result = a <= b;
  return {result, raised()};
}

template <typename Bits>
Outcome classify(Bits bits) {
  const volatile Float<Bits> a = float_of(bits);
  const Mode mode;
  const volatile Float<Bits> sum = a + a;  // invalid for a signalling NaN only
  static_cast<void>(sum);
  const bool signalling = std::fetestexcept(FE_INVALID) != 0, negative = std::signbit(a);
  switch (std::fpclassify(Float<Bits>(a))) {
    case FP_NAN:
      return {signalling ? 0x100u : 0x200u};
    case FP_INFINITE:
      return {negative ? 0x1u : 0x80u};
    case FP_NORMAL:
      return {negative ? 0x2u : 0x40u};
    case FP_SUBNORMAL:
      return {negative ? 0x4u : 0x20u};
    default:
      return {negative ? 0x8u : 0x10u};
  }
}

Outcome widen(std::uint32_t bits) {
  const volatile float a = float_of(bits);
  const Mode mode;
  const volatile double result = a;
  return {bits_of<double>(result), raised()};
}

Outcome narrow(std::uint64_t bits, Rounding rounding) {
  const volatile double a = float_of(bits);
  const Mode mode(rounding);
  const volatile float result = static_cast<float>(a);
  return {bits_of<float>(result), raised()};
}

// The host rounds to an integer of the format; the ranges are RISC-V's.
template <typename Int, typename Bits>
Outcome to_integer(Bits bits, Rounding rounding) {
  using Limits = std::numeric_limits<Int>;
  const volatile Float<Bits> a = float_of(bits);
  const Mode mode(rounding);
  const volatile Float<Bits> whole = std::rint(a);
  const std::uint8_t flags = raised();
  const auto outcome = [](Int value, std::uint8_t raised_flags) {
    return Outcome{static_cast<std::make_unsigned_t<Int>>(value), raised_flags};
  };
  // Powers of two, exact in both formats.
  const Float<Bits> above = std::ldexp(Float<Bits>{1}, Limits::digits);
  const Float<Bits> lowest = Limits::is_signed ? -above : Float<Bits>{0};
  if (std::isnan(Float<Bits>(whole)) || whole >= above) {
    return outcome(Limits::max(), riscv::kInvalid);
  }
  if (whole < lowest) return outcome(Limits::min(), riscv::kInvalid);
  return outcome(static_cast<Int>(whole), flags);
}

// By way of long double, which has all of them: hosts convert unsigned integers in steps that round
// twice or raise flags.
template <typename Bits, typename Int>
Outcome from_integer(Int value, Rounding rounding) {
  static_assert(std::numeric_limits<long double>::digits >= 64, "exact for 64 bits");
  const volatile long double exact = value;
  const Mode mode(rounding);
  const volatile Float<Bits> result = static_cast<Float<Bits>>(exact);
  return {bits_of<Float<Bits>>(result), raised()};
}

template Outcome compute(Operation, const Operands<std::uint32_t>&, Rounding);
template Outcome compute(Operation, const Operands<std::uint64_t>&, Rounding);
template Outcome compare(Relation, std::uint32_t, std::uint32_t);
template Outcome compare(Relation, std::uint64_t, std::uint64_t);
template Outcome classify(std::uint32_t);
template Outcome classify(std::uint64_t);
template Outcome to_integer<std::int32_t>(std::uint32_t, Rounding);
template Outcome to_integer<std::uint32_t>(std::uint32_t, Rounding);
template Outcome to_integer<std::int64_t>(std::uint32_t, Rounding);
template Outcome to_integer<std::uint64_t>(std::uint32_t, Rounding);
template Outcome to_integer<std::int32_t>(std::uint64_t, Rounding);
template Outcome to_integer<std::uint32_t>(std::uint64_t, Rounding);
template Outcome to_integer<std::int64_t>(std::uint64_t, Rounding);
template Outcome to_integer<std::uint64_t>(std::uint64_t, Rounding);
template Outcome from_integer<std::uint32_t>(std::int32_t, Rounding);
template Outcome from_integer<std::uint32_t>(std::uint32_t, Rounding);
template Outcome from_integer<std::uint32_t>(std::int64_t, Rounding);
template Outcome from_integer<std::uint32_t>(std::uint64_t, Rounding);
template Outcome from_integer<std::uint64_t>(std::int32_t, Rounding);
template Outcome from_integer<std::uint64_t>(std::uint32_t, Rounding);
template Outcome from_integer<std::uint64_t>(std::int64_t, Rounding);
template Outcome from_integer<std::uint64_t>(std::uint64_t, Rounding);

}  // namespace tern::tb::host
