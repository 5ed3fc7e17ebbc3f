// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "systemc/riscv/float/unpacked.h"

namespace tern::riscv {

namespace {

template <typename To, typename From>
To convert(From a, FloatContext& context) {
  if (is_nan(a)) return propagate<To>(is_signalling(a), context);
  const To sign = is_negative(a) ? Format<To>::kSign : 0;
  if (is_infinite(a)) return sign | Format<To>::kInfinity;
  if (is_zero(a)) return sign;
  return round_and_pack<To>(unpack(a), context);
}

template <typename Int>
Int saturated(bool negative, FloatContext& context) {
  context.flags |= kInvalid;
  return negative ? std::numeric_limits<Int>::min() : std::numeric_limits<Int>::max();
}

}  // namespace

std::uint64_t widen(std::uint32_t a, FloatContext& context) {
  return convert<std::uint64_t>(a, context);
}

std::uint32_t narrow(std::uint64_t a, FloatContext& context) {
  return convert<std::uint32_t>(a, context);
}

template <typename Int, typename Bits>
Int to_integer(Bits a, FloatContext& context) {
  if (is_nan(a)) return saturated<Int>(false, context);
  if (is_infinite(a)) return saturated<Int>(is_negative(a), context);
  if (is_zero(a)) return 0;
  const Unpacked x = unpack(a);
  if (x.exponent > 63) return saturated<Int>(x.negative, context);
  // 64 bits before the binary point, 64 after it.
  const Wide fixed = shift_right_jam(Wide{x.significand} << 64, 63 - x.exponent);
  const auto rest = static_cast<std::uint64_t>(fixed);
  Wide magnitude = fixed >> 64;
  if (rounds_up(context.rounding, x.negative, magnitude % 2 != 0, rest, std::uint64_t{1} << 63))
    ++magnitude;
  const auto highest = static_cast<Wide>(std::numeric_limits<Int>::max());
  const Wide lowest = std::numeric_limits<Int>::is_signed ? highest + 1 : 0;
  if (magnitude > (x.negative ? lowest : highest)) return saturated<Int>(x.negative, context);
  if (rest != 0) context.flags |= kInexact;
  const auto value = static_cast<std::uint64_t>(magnitude);
  return static_cast<Int>(x.negative ? -value : value);
}

template <typename Bits, typename Int>
Bits from_integer(Int value, FloatContext& context) {
  if (value == 0) return 0;
  const bool negative = value < 0;
  const auto wide = static_cast<std::uint64_t>(value);  // of negative ones with their sign
  return normalize_and_pack<Bits>(negative, 0, negative ? -wide : wide, context);
}

#define TERN_INSTANTIATE(Bits, Int)                        \
  template Int to_integer<Int, Bits>(Bits, FloatContext&); \
  template Bits from_integer<Bits, Int>(Int, FloatContext&);
TERN_INSTANTIATE(std::uint32_t, std::int32_t)
TERN_INSTANTIATE(std::uint32_t, std::uint32_t)
TERN_INSTANTIATE(std::uint32_t, std::int64_t)
TERN_INSTANTIATE(std::uint32_t, std::uint64_t)
TERN_INSTANTIATE(std::uint64_t, std::int32_t)
TERN_INSTANTIATE(std::uint64_t, std::uint32_t)
TERN_INSTANTIATE(std::uint64_t, std::int64_t)
TERN_INSTANTIATE(std::uint64_t, std::uint64_t)
#undef TERN_INSTANTIATE

}  // namespace tern::riscv
