// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/numerics/float_bits.h"

namespace tern::numerics {

constexpr std::uint16_t kFp16Nan = 0x7E00;

// Exact, subnormals included; a NaN keeps its payload.
inline float fp16_to_float(std::uint16_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7FFF) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  constexpr std::uint32_t kRebias = (127 - 15) << 23;
  const std::uint32_t normal = magnitude + kRebias;
  const std::uint32_t special = magnitude + 2 * kRebias;  // exponent field 31 becomes 255
  // A subnormal m * 2^-24: inserted below the leading one of 2^-14, which is then subtracted again.
  constexpr std::uint32_t kSmallestNormal = 113u << 23;
  const std::uint32_t subnormal =
      bits_of(float_of(magnitude + kSmallestNormal) - float_of(kSmallestNormal));
  const std::uint32_t result =
      magnitude >= (31u << 23) ? special : (magnitude < (1u << 23) ? subnormal : normal);
  return float_of(result | sign);
}

// To nearest even; overflow gives infinity, NaN the canonical one. Integer work only, without a
// branch.
inline std::uint16_t fp16_from_float(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  // Normal result: drop 13 bits; a carry out of the significand moves into the exponent, up to
  // infinity.
  const std::uint32_t odd = (magnitude >> 13) & 1;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xFFF + odd) >> 13;
  // Subnormal result: the significand with its leading one, in units of 2^-24.
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t significand = (magnitude & 0x7FFFFF) | 0x800000;
  const std::uint32_t wanted = 126 - exponent;  // bits to drop: 14 for 2^-15 .. 24 for 2^-25
  const std::uint32_t drop = exponent >= 126 ? 0 : (wanted > 25 ? 25 : wanted);
  const std::uint32_t kept = significand >> drop;
  const std::uint32_t rest = significand & ((1u << drop) - 1);
  const std::uint32_t half = (1u << drop) >> 1;
  const std::uint32_t up = (rest > half || (rest == half && (kept & 1) != 0)) ? 1 : 0;
  const std::uint32_t finite = magnitude < (113u << 23) ? kept + up : normal;
  const std::uint32_t limited = magnitude >= (143u << 23) ? 0x7C00 : finite;
  const std::uint32_t result = is_nan_bits(bits) ? kFp16Nan : (limited | ((bits >> 16) & 0x8000));
  return static_cast<std::uint16_t>(result);
}

}  // namespace tern::numerics
