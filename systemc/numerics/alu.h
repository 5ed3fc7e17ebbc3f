// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "systemc/numerics/float_bits.h"

// FP32 operations of the vector and scalar units: one rounding each, to nearest even, NaN results
// canonical. They need the default floating-point modes: see ScopedFpModes.
namespace tern::numerics {

inline float add(float a, float b) {
  return canonical(a + b);
}
inline float subtract(float a, float b) {
  return canonical(a - b);
}
inline float multiply(float a, float b) {
  return canonical(a * b);
}
inline float divide(float a, float b) {
  return canonical(a / b);
}
inline float fused_multiply_add(float a, float b, float c) {
  return canonical(std::fma(a, b, c));
}
inline float reciprocal(float a) {
  return canonical(1.0f / a);
}

inline float negate(float a) {
  return canonical(float_of(bits_of(a) ^ 0x80000000));
}
inline float absolute(float a) {
  return canonical(float_of(bits_of(a) & 0x7FFFFFFF));
}
inline float square(float a) {
  return multiply(a, a);
}

// A NaN operand gives NaN; +0 is larger than -0.
inline float maximum(float a, float b) {
  if (is_nan_bits(bits_of(a)) || is_nan_bits(bits_of(b))) return float_of(kCanonicalNan);
  if (a == b)
    return float_of(bits_of(a) & bits_of(b));  // equal: the same bits, or zeros of any sign
  return a > b ? a : b;
}
inline float minimum(float a, float b) {
  if (is_nan_bits(bits_of(a)) || is_nan_bits(bits_of(b))) return float_of(kCanonicalNan);
  if (a == b) return float_of(bits_of(a) | bits_of(b));
  return a < b ? a : b;
}

// 1.0 or 0.0; with a NaN operand all are false but not_equal.
inline float equal(float a, float b) {
  return a == b ? 1.0f : 0.0f;
}
inline float not_equal(float a, float b) {
  return a != b ? 1.0f : 0.0f;
}
inline float less(float a, float b) {
  return a < b ? 1.0f : 0.0f;
}
inline float less_equal(float a, float b) {
  return a <= b ? 1.0f : 0.0f;
}
inline float greater(float a, float b) {
  return a > b ? 1.0f : 0.0f;
}
inline float greater_equal(float a, float b) {
  return a >= b ? 1.0f : 0.0f;
}

// A chain in element order that starts from the first element: ((x0 op x1) op x2) op ... ; count
// >= 1.
template <typename Operation>
float reduce(const float* values, std::size_t count, std::size_t stride, Operation operation) {
  float result = canonical(values[0]);
  for (std::size_t i = 1; i < count; ++i) result = operation(result, values[i * stride]);
  return result;
}

}  // namespace tern::numerics
