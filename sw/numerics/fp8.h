// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sw/numerics/float_bits.h"

// FP8, FP4 and the scale format E8M0: one element to and from FP32. Integer work only, so that no
// state of the host's floating-point unit can change a result.
namespace tern::numerics {

// Sign, exponent and mantissa as usual; codes without the sign.
struct SmallFormat {
  unsigned mantissa;       // bits
  int bias;                // of the exponent
  unsigned sign;           // the sign bit
  std::uint8_t largest;    // largest finite value
  std::uint8_t overflow;   // what larger values become: infinity, or NaN where there is none
  std::uint8_t nan;        // the canonical one
  int largest_exponent;    // of `largest`: emax of docs/numerics.md, section 5
  unsigned infinity_code;  // no code: more than the format has
};

constexpr unsigned kNoInfinity = 0x100;
constexpr SmallFormat kE4m3Fn = {3, 7, 0x80, 0x7E, 0x7F, 0x7F, 8, kNoInfinity};
constexpr SmallFormat kE4m3 = {3, 7, 0x80, 0x77, 0x78, 0x7C, 7, 0x78};
constexpr SmallFormat kE5m2 = {2, 15, 0x80, 0x7B, 0x7C, 0x7E, 15, 0x7C};
// No infinity and no NaN: everything that is too large, NaN too, becomes the largest.
constexpr SmallFormat kE2m1 = {1, 1, 0x08, 0x07, 0x07, 0x07, 2, kNoInfinity};

// A value beyond the largest finite one (after rounding) becomes that one, infinity included; or
// the IEEE result: infinity, NaN where the format has none. NaN becomes NaN in both.
enum class Overflow { kSaturate, kIeee };

// FP32 bits of a code, exact; NaN canonical.
constexpr std::uint32_t decode_bits(const SmallFormat& format, unsigned code) {
  const std::uint32_t sign = (code & format.sign) != 0 ? 0x80000000u : 0u;
  const unsigned magnitude = code & (format.sign - 1);
  if (magnitude == format.infinity_code) return sign | 0x7F800000u;
  if (magnitude > format.largest) return kCanonicalNan;
  if (magnitude == 0) return sign;
  int exponent = static_cast<int>(magnitude >> format.mantissa);
  std::uint32_t significand = magnitude & ((1u << format.mantissa) - 1);
  if (exponent != 0) {
    significand |= 1u << format.mantissa;
  } else {
    exponent = 1;
    for (; (significand >> format.mantissa) == 0; significand <<= 1) --exponent;
  }
  const std::uint32_t fraction = (significand << (23 - format.mantissa)) & 0x7FFFFF;
  return sign | static_cast<std::uint32_t>(exponent - format.bias + 127) << 23 | fraction;
}

// To nearest even.
constexpr std::uint8_t encode_bits(const SmallFormat& format, std::uint32_t bits,
                                   Overflow overflow) {
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  const unsigned sign = (bits >> 31) != 0 ? format.sign : 0;
  if (magnitude > 0x7F800000) return format.nan;
  // FP32 subnormals are far below half of the smallest element: their missing leading one makes no
  // difference.
  const std::uint32_t significand = (magnitude & 0x7FFFFF) | 0x800000;
  const int exponent = static_cast<int>(magnitude >> 23) - 127 + format.bias;
  const unsigned wanted =
      23 - format.mantissa + static_cast<unsigned>(exponent < 1 ? 1 - exponent : 0);
  const unsigned drop = wanted > 25 ? 25 : wanted;
  const std::uint32_t kept = significand >> drop;
  const std::uint32_t rest = significand & ((1u << drop) - 1);
  const std::uint32_t half = 1u << (drop - 1);
  const std::uint32_t rounded = kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
  // A carry out of the significand moves into the exponent.
  const std::uint32_t raise =
      exponent > 1 ? static_cast<std::uint32_t>(exponent - 1) << format.mantissa : 0;
  const std::uint32_t code = rounded + raise;
  if (code <= format.largest) return static_cast<std::uint8_t>(sign | code);
  if (overflow == Overflow::kSaturate) return static_cast<std::uint8_t>(sign | format.largest);
  return static_cast<std::uint8_t>(format.overflow == format.nan ? format.nan
                                                                 : sign | format.overflow);
}

namespace detail {

template <std::size_t kCodes>
constexpr std::array<std::uint32_t, kCodes> decode_table(const SmallFormat& format) {
  std::array<std::uint32_t, kCodes> table = {};
  for (std::size_t code = 0; code < kCodes; ++code) {
    table[code] = decode_bits(format, static_cast<unsigned>(code));
  }
  return table;
}

inline constexpr auto kE4m3FnTable = decode_table<256>(kE4m3Fn);
inline constexpr auto kE4m3Table = decode_table<256>(kE4m3);
inline constexpr auto kE5m2Table = decode_table<256>(kE5m2);
inline constexpr auto kE2m1Table = decode_table<16>(kE2m1);

}  // namespace detail

inline float e4m3fn_to_float(std::uint8_t code) {
  return float_of(detail::kE4m3FnTable[code]);
}
inline float e4m3_to_float(std::uint8_t code) {
  return float_of(detail::kE4m3Table[code]);
}
inline float e5m2_to_float(std::uint8_t code) {
  return float_of(detail::kE5m2Table[code]);
}
// The lower four bits of the code count.
inline float e2m1_to_float(std::uint8_t code) {
  return float_of(detail::kE2m1Table[code & 15]);
}

inline std::uint8_t e4m3fn_from_float(float value, Overflow overflow) {
  return encode_bits(kE4m3Fn, bits_of(value), overflow);
}
inline std::uint8_t e4m3_from_float(float value, Overflow overflow) {
  return encode_bits(kE4m3, bits_of(value), overflow);
}
inline std::uint8_t e5m2_from_float(float value, Overflow overflow) {
  return encode_bits(kE5m2, bits_of(value), overflow);
}
// In the lower four bits; saturates.
inline std::uint8_t e2m1_from_float(float value) {
  return encode_bits(kE2m1, bits_of(value), Overflow::kSaturate);
}

// The E4M3FN code of the same value: every E2M1 value has one.
inline std::uint8_t e4m3fn_from_e2m1(std::uint8_t code) {
  return encode_bits(kE4m3Fn, detail::kE2m1Table[code & 15], Overflow::kSaturate);
}

constexpr std::uint8_t kE8m0Nan = 0xFF;

// 2^(code - 127), exact (code 0 is an FP32 subnormal); 0xFF is NaN.
inline float e8m0_to_float(std::uint8_t code) {
  const std::uint32_t power = code == 0 ? 0x00400000u : static_cast<std::uint32_t>(code) << 23;
  return float_of(code == kE8m0Nan ? kCanonicalNan : power);
}

// The scale 2^exponent, limited to the range of the format.
constexpr std::uint8_t e8m0_from_exponent(int exponent) {
  return static_cast<std::uint8_t>(exponent < -127 ? 0 : exponent > 127 ? 254 : exponent + 127);
}

}  // namespace tern::numerics
