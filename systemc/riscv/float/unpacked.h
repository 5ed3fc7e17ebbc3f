// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/riscv/float/soft_float.h"

namespace tern::riscv {

using Wide = unsigned __int128;

template <typename Bits>
struct Format {
  static constexpr int kFraction = sizeof(Bits) == 8 ? 52 : 23;
  static constexpr int kMaxExponent = sizeof(Bits) == 8 ? 0x7ff : 0xff;
  static constexpr int kBias = kMaxExponent / 2;
  static constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  static constexpr Bits kInfinity = static_cast<Bits>(kMaxExponent) << kFraction;
  static constexpr Bits kQuiet = Bits{1} << (kFraction - 1);
};

template <typename Bits>
bool is_nan(Bits a) {
  return (a & ~Format<Bits>::kSign) > Format<Bits>::kInfinity;
}
template <typename Bits>
bool is_signalling(Bits a) {
  return is_nan(a) && (a & Format<Bits>::kQuiet) == 0;
}
template <typename Bits>
bool is_infinite(Bits a) {
  return (a & ~Format<Bits>::kSign) == Format<Bits>::kInfinity;
}
template <typename Bits>
bool is_zero(Bits a) {
  return (a & ~Format<Bits>::kSign) == 0;
}
template <typename Bits>
bool is_negative(Bits a) {
  return (a & Format<Bits>::kSign) != 0;
}

// A finite number other than 0: significand * 2^(exponent - 63), bit 63 of the significand is set.
struct Unpacked {
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;
};

template <typename Bits>
Unpacked unpack(Bits a) {
  using F = Format<Bits>;
  const int biased = static_cast<int>((a & ~F::kSign) >> F::kFraction);
  const std::uint64_t fraction = a & ((Bits{1} << F::kFraction) - 1);
  if (biased != 0) {
    return {is_negative(a), biased - F::kBias,
            (fraction | std::uint64_t{1} << F::kFraction) << (63 - F::kFraction)};
  }
  const int zeros = __builtin_clzll(fraction);
  return {is_negative(a), 1 - F::kBias + (63 - F::kFraction) - zeros, fraction << zeros};
}

template <typename T>
T shift_right_jam(T value, int shift) {
  constexpr int kBits = 8 * sizeof(T);
  if (shift <= 0) return value;
  if (shift >= kBits) return value != 0 ? 1 : 0;
  return (value >> shift) | ((value & ((T{1} << shift) - 1)) != 0 ? 1 : 0);
}

// Whether the magnitude is rounded up. `rest`: what is dropped, `half`: half a unit.
inline bool rounds_up(Rounding rounding, bool negative, bool odd, std::uint64_t rest,
                      std::uint64_t half) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return rest > half || (rest == half && odd);
    case Rounding::kNearestMaxMagnitude:
      return rest >= half;
    case Rounding::kDown:
      return negative && rest != 0;
    case Rounding::kUp:
      return !negative && rest != 0;
    default:
      return false;
  }
}

// The number significand * 2^(exponent - 63) in the format; bit 63 is set, bit 0 is sticky.
template <typename Bits>
Bits round_and_pack(Unpacked value, FloatContext& context) {
  using F = Format<Bits>;
  constexpr int kDropped = 63 - F::kFraction;
  constexpr std::uint64_t kRest = (std::uint64_t{1} << kDropped) - 1, kHalf = (kRest + 1) / 2;
  constexpr int kMin = 1 - F::kBias;
  const auto up = [&](std::uint64_t m) {
    return rounds_up(context.rounding, value.negative, (m >> kDropped) % 2 != 0, m & kRest, kHalf);
  };
  const Bits sign = value.negative ? F::kSign : 0;
  bool tiny = false;
  if (value.exponent < kMin) {
    // Rounded with any exponent, it may reach the smallest normal number.
    const bool all_ones = value.significand >> kDropped == (~std::uint64_t{0} >> kDropped);
    tiny = value.exponent < kMin - 1 || !all_ones || !up(value.significand);
    value.significand = shift_right_jam(value.significand, kMin - value.exponent);
    value.exponent = kMin;
  }
  const std::uint64_t rest = value.significand & kRest;
  const std::uint64_t kept = (value.significand >> kDropped) + (up(value.significand) ? 1 : 0);
  if (rest != 0) context.flags |= kInexact | (tiny ? kUnderflow : 0);
  // The hidden bit adds 1 to the exponent, and so does a carry out of the fraction.
  const std::uint64_t packed =
      (static_cast<std::uint64_t>(value.exponent - kMin) << F::kFraction) + kept;
  if (value.exponent < F::kMaxExponent && packed < F::kInfinity)
    return sign | static_cast<Bits>(packed);
  context.flags |= kOverflow | kInexact;
  const bool to_infinity = rounds_up(context.rounding, value.negative, true, kRest, kHalf);
  return sign | static_cast<Bits>(to_infinity ? F::kInfinity : F::kInfinity - 1);
}

// value * 2^scale; the value is not 0.
template <typename Bits>
Bits normalize_and_pack(bool negative, int scale, Wide value, FloatContext& context) {
  const auto high = static_cast<std::uint64_t>(value >> 64),
             low = static_cast<std::uint64_t>(value);
  const int zeros = high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
  const Wide top = value << zeros;
  const std::uint64_t sticky = static_cast<std::uint64_t>(top) != 0 ? 1 : 0;
  return round_and_pack<Bits>(
      {negative, scale + 127 - zeros, static_cast<std::uint64_t>(top >> 64) | sticky}, context);
}

template <typename Bits>
Bits invalid(FloatContext& context) {
  context.flags |= kInvalid;
  return kCanonicalNan<Bits>;
}

// Of an operation with a NaN.
template <typename Bits>
Bits propagate(bool signalling, FloatContext& context) {
  if (signalling) context.flags |= kInvalid;
  return kCanonicalNan<Bits>;
}

// The sign of an exact zero that is the sum of opposite numbers.
inline bool zero_is_negative(const FloatContext& context) {
  return context.rounding == Rounding::kDown;
}

}  // namespace tern::riscv
