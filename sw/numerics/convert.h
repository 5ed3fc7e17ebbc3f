// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "sw/numerics/bf16.h"
#include "sw/numerics/dtype.h"
#include "sw/numerics/float_bits.h"
#include "sw/numerics/fp16.h"

namespace tern::numerics {

// FP32 to integer: to nearest even, saturating, NaN gives 0.
inline std::int32_t int32_from_float(float value) {
  if (is_nan_bits(bits_of(value))) return 0;
  const float rounded = std::nearbyint(value);
  if (rounded >= 2147483648.0f) return INT32_MAX;
  if (rounded < -2147483648.0f) return INT32_MIN;
  return static_cast<std::int32_t>(rounded);
}

inline std::uint32_t uint32_from_float(float value) {
  const float rounded = std::nearbyint(value);
  if (!(rounded > 0.0f)) return 0;  // NaN too
  if (rounded >= 4294967296.0f) return UINT32_MAX;
  return static_cast<std::uint32_t>(rounded);
}

// The same for integers that FP32 holds exactly.
template <typename Integer>
Integer small_int_from_float(float value) {
  static_assert(sizeof(Integer) <= 2);
  if (is_nan_bits(bits_of(value))) return 0;
  const float rounded = std::nearbyint(value);
  const auto low = static_cast<float>(std::numeric_limits<Integer>::min());
  const auto high = static_cast<float>(std::numeric_limits<Integer>::max());
  return static_cast<Integer>(rounded < low ? low : rounded > high ? high : rounded);
}
inline std::int8_t int8_from_float(float value) {
  return small_int_from_float<std::int8_t>(value);
}
inline std::uint8_t uint8_from_float(float value) {
  return small_int_from_float<std::uint8_t>(value);
}
inline std::int16_t int16_from_float(float value) {
  return small_int_from_float<std::int16_t>(value);
}
inline std::uint16_t uint16_from_float(float value) {
  return small_int_from_float<std::uint16_t>(value);
}

// Integer to FP32: to nearest even.
inline float float_from_int32(std::int32_t value) {
  return static_cast<float>(value);
}
inline float float_from_uint32(std::uint32_t value) {
  return static_cast<float>(value);
}

// One element in memory, at any alignment. widen() is exact but for the 32-bit integers; narrow()
// rounds once and makes NaN canonical, FP32 included; FP8 overflows as IEEE says. Throws
// std::invalid_argument on a format that is not among kComputeDTypes.
float widen_element(DType type, const void* source);
void narrow_element(DType type, float value, void* target);

// The same for `count` contiguous elements.
void widen(DType type, const void* source, float* target, std::size_t count);
void narrow(DType type, const float* source, void* target, std::size_t count);

}  // namespace tern::numerics
