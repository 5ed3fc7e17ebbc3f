// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace tern::numerics {

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr std::uint32_t kCanonicalNan = 0x7FC00000;

inline bool is_nan_bits(std::uint32_t bits) {
  return (bits & 0x7FFFFFFF) > 0x7F800000;
}

// Every NaN that leaves a unit is this one.
inline float canonical(float value) {
  const std::uint32_t bits = bits_of(value);
  return float_of(is_nan_bits(bits) ? kCanonicalNan : bits);
}

}  // namespace tern::numerics
