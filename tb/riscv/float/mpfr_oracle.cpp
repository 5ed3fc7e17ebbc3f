// SPDX-License-Identifier: Apache-2.0
#include "tb/riscv/float/mpfr_oracle.h"

#include <algorithm>
#include <limits>

namespace tern::tb {
namespace {

using riscv::Rounding;

// A format by its definition.
template <typename Bits>
struct Definition {
  static constexpr bool kSingle = sizeof(Bits) == 4;
  static constexpr int kPrecision = kSingle ? 24 : 53;
  static constexpr int kMaxExponent = kSingle ? 127 : 1023;
  static constexpr int kMinExponent = 1 - kMaxExponent;
  static constexpr std::uint64_t kImplicit = std::uint64_t{1} << (kPrecision - 1);
  static constexpr std::uint64_t kInfinity = std::uint64_t{2 * kMaxExponent + 1}
                                             << (kPrecision - 1);
  static constexpr std::uint64_t kSign = std::uint64_t{1} << (kWidth<Bits> - 1);
  static constexpr std::uint64_t kNan = kInfinity | kImplicit >> 1;
};

// `to` = the integer that the mode chooses; true if that is not `value` itself.
bool to_whole(mpfr_ptr to, mpfr_srcptr value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven:
      mpfr_roundeven(to, value);
      break;
    case Rounding::kTowardZero:
      mpfr_trunc(to, value);
      break;
    case Rounding::kDown:
      mpfr_floor(to, value);
      break;
    case Rounding::kUp:
      mpfr_ceil(to, value);
      break;
    case Rounding::kNearestMaxMagnitude:
      mpfr_round(to, value);
      break;
  }
  return mpfr_equal_p(to, value) == 0;
}

// The mode with which MPFR gives a sum that is exactly zero its sign.
int operate(Operation operation, mpfr_ptr to, const mpfr_t* x, mpfr_rnd_t mode) {
  switch (operation) {
    case Operation::kAdd:
      return mpfr_add(to, x[0], x[1], mode);
    case Operation::kSub:
      return mpfr_sub(to, x[0], x[1], mode);
    case Operation::kMul:
      return mpfr_mul(to, x[0], x[1], mode);
    case Operation::kDiv:
      return mpfr_div(to, x[0], x[1], mode);
    case Operation::kSqrt:
      return mpfr_sqrt(to, x[0], mode);
    case Operation::kFma:
      return mpfr_fma(to, x[0], x[1], x[2], mode);
  }
  return 0;
}

}  // namespace

RoundingOracle::RoundingOracle() {
  for (auto& operand : operands_) mpfr_init2(operand, 64);
  mpfr_init2(chopped_, kPrecision - 1);
  for (mpfr_ptr number : {value_, scaled_, whole_}) mpfr_init2(number, kPrecision);
}

RoundingOracle::~RoundingOracle() {
  for (mpfr_ptr number :
       {operands_[0], operands_[1], operands_[2], chopped_, value_, scaled_, whole_}) {
    mpfr_clear(number);
  }
}

template <typename Bits>
bool RoundingOracle::load(mpfr_ptr to, Bits value) {
  using D = Definition<Bits>;
  const bool negative = (value & D::kSign) != 0;
  const std::uint64_t size = value & ~D::kSign;
  const std::uint64_t field = size / D::kImplicit, fraction = size % D::kImplicit;
  if (size > D::kInfinity) {
    mpfr_set_nan(to);
    return fraction < D::kImplicit / 2;
  }
  if (size == D::kInfinity) {
    mpfr_set_inf(to, negative ? -1 : 1);
  } else {
    const std::uint64_t significand = field == 0 ? fraction : fraction + D::kImplicit;
    const int exponent = std::max(static_cast<int>(field), 1) - D::kMaxExponent;
    mpfr_set_ui_2exp(to, significand, exponent - (D::kPrecision - 1), MPFR_RNDN);
    mpfr_setsign(to, to, negative ? 1 : 0, MPFR_RNDN);
  }
  return false;
}

void RoundingOracle::make_sticky(int ternary) {
  mpfr_set(value_, chopped_, MPFR_RNDN);
  if (ternary > 0) mpfr_nextbelow(value_);
  if (ternary < 0) mpfr_nextabove(value_);
}

template <typename Bits>
void RoundingOracle::compute(Operation operation, const Operands<Bits>& operands) {
  const unsigned count = operation == Operation::kSqrt ? 1 : operation == Operation::kFma ? 3 : 2;
  const Bits given[] = {operands.a, operands.b, operands.c};
  bool nan = false, signalling = false;
  for (unsigned i = 0; i < count; ++i) {
    signalling |= load(operands_[i], given[i]);
    nan |= mpfr_nan_p(operands_[i]) != 0;
  }
  mpfr_clear_flags();
  make_sticky(operate(operation, chopped_, operands_, MPFR_RNDZ));
  divided_by_zero_ = mpfr_divby0_p() != 0;
  invalid_ = signalling || (mpfr_nan_p(value_) != 0 && !nan);
  if (operation == Operation::kFma) {  // RISC-V: infinity times zero, whatever is added
    mpfr_mul(scaled_, operands_[0], operands_[1], MPFR_RNDN);
    invalid_ |=
        mpfr_nan_p(scaled_) != 0 && mpfr_nan_p(operands_[0]) == 0 && mpfr_nan_p(operands_[1]) == 0;
  }
  if (mpfr_zero_p(value_) != 0) {
    operate(operation, chopped_, operands_, MPFR_RNDD);
    negative_zero_down_ = mpfr_signbit(chopped_) != 0;
  }
}

template <typename Bits>
void RoundingOracle::take(Bits value) {
  invalid_ = load(value_, value);
  divided_by_zero_ = false;
  negative_zero_down_ = mpfr_signbit(value_) != 0;
}

template <typename Int>
void RoundingOracle::take_integer(Int value) {
  if (std::numeric_limits<Int>::is_signed) {
    mpfr_set_si(value_, static_cast<long>(value), MPFR_RNDN);
  } else {
    mpfr_set_ui(value_, static_cast<unsigned long>(value), MPFR_RNDN);
  }
  invalid_ = divided_by_zero_ = negative_zero_down_ = false;
}

template <typename Bits>
Outcome RoundingOracle::rounded(Rounding rounding) {
  using D = Definition<Bits>;
  Outcome outcome{0, static_cast<std::uint8_t>((invalid_ ? riscv::kInvalid : 0) |
                                               (divided_by_zero_ ? riscv::kDivideByZero : 0))};
  if (mpfr_nan_p(value_) != 0) return {D::kNan, outcome.flags};
  bool negative = mpfr_signbit(value_) != 0;
  if (mpfr_zero_p(value_) != 0 && rounding == Rounding::kDown) negative = negative_zero_down_;
  const std::uint64_t sign = negative ? D::kSign : 0;
  if (mpfr_inf_p(value_) != 0) return {sign | D::kInfinity, outcome.flags};
  if (mpfr_zero_p(value_) != 0) return {sign, outcome.flags};

  // As if exponents had no end: is it tiny?
  const long free_unit = mpfr_get_exp(value_) - D::kPrecision;
  mpfr_mul_2si(scaled_, value_, -free_unit, MPFR_RNDN);
  to_whole(whole_, scaled_, rounding);
  mpfr_mul_2si(whole_, whole_, free_unit, MPFR_RNDN);
  const bool tiny = mpfr_get_exp(whole_) - 1 < D::kMinExponent;

  const long min_unit = D::kMinExponent - (D::kPrecision - 1);
  long unit = std::max(free_unit, min_unit);
  mpfr_mul_2si(scaled_, value_, -unit, MPFR_RNDN);
  const bool inexact = to_whole(whole_, scaled_, rounding);
  mpfr_abs(whole_, whole_, MPFR_RNDN);
  std::uint64_t significand = mpfr_get_ui(whole_, MPFR_RNDN);
  if (significand == 2 * D::kImplicit) {
    significand = D::kImplicit;
    ++unit;
  }
  if (inexact) outcome.flags |= riscv::kInexact;
  if (inexact && tiny) outcome.flags |= riscv::kUnderflow;
  if (unit > D::kMaxExponent - (D::kPrecision - 1)) {
    outcome.flags |= riscv::kOverflow | riscv::kInexact;
    const bool stays = rounding == Rounding::kTowardZero ||
                       (rounding == Rounding::kDown && !negative) ||
                       (rounding == Rounding::kUp && negative);
    outcome.bits = sign | (D::kInfinity - (stays ? 1 : 0));
  } else if (significand < D::kImplicit) {
    outcome.bits = sign | significand;
  } else {
    const auto field = static_cast<std::uint64_t>(unit - min_unit + 1);
    outcome.bits = sign | field * D::kImplicit | (significand - D::kImplicit);
  }
  return outcome;
}

template <typename Int>
Outcome RoundingOracle::rounded_to_integer(Rounding rounding) {
  using Limits = std::numeric_limits<Int>;
  const auto bits = [](Int value) {
    return Outcome{static_cast<std::make_unsigned_t<Int>>(value)};
  };
  Outcome outcome = bits(Limits::max());
  outcome.flags = riscv::kInvalid;
  if (mpfr_nan_p(value_) != 0) return outcome;
  if (mpfr_inf_p(value_) != 0) {
    if (mpfr_signbit(value_) != 0) outcome.bits = bits(Limits::min()).bits;
    return outcome;
  }
  const bool inexact = to_whole(whole_, value_, rounding);
  const bool fits = Limits::is_signed  ? sizeof(Int) == 4 ? mpfr_fits_sint_p(whole_, MPFR_RNDN) != 0
                                                          : mpfr_fits_slong_p(whole_, MPFR_RNDN) != 0
                    : sizeof(Int) == 4 ? mpfr_fits_uint_p(whole_, MPFR_RNDN) != 0
                                       : mpfr_fits_ulong_p(whole_, MPFR_RNDN) != 0;
  if (!fits) {
    if (mpfr_signbit(value_) != 0) outcome.bits = bits(Limits::min()).bits;
    return outcome;
  }
  outcome = bits(Limits::is_signed ? static_cast<Int>(mpfr_get_si(whole_, MPFR_RNDN))
                                   : static_cast<Int>(mpfr_get_ui(whole_, MPFR_RNDN)));
  if (inexact) outcome.flags = riscv::kInexact;
  return outcome;
}

template void RoundingOracle::compute(Operation, const Operands<std::uint32_t>&);
template void RoundingOracle::compute(Operation, const Operands<std::uint64_t>&);
template void RoundingOracle::take(std::uint32_t);
template void RoundingOracle::take(std::uint64_t);
template void RoundingOracle::take_integer(std::int32_t);
template void RoundingOracle::take_integer(std::uint32_t);
template void RoundingOracle::take_integer(std::int64_t);
template void RoundingOracle::take_integer(std::uint64_t);
template Outcome RoundingOracle::rounded<std::uint32_t>(Rounding);
template Outcome RoundingOracle::rounded<std::uint64_t>(Rounding);
template Outcome RoundingOracle::rounded_to_integer<std::int32_t>(Rounding);
template Outcome RoundingOracle::rounded_to_integer<std::uint32_t>(Rounding);
template Outcome RoundingOracle::rounded_to_integer<std::int64_t>(Rounding);
template Outcome RoundingOracle::rounded_to_integer<std::uint64_t>(Rounding);

}  // namespace tern::tb
