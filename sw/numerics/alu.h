// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "sw/numerics/float_bits.h"

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
// +0 for everything not above zero; NaN stays NaN.
inline float relu(float a) {
  if (is_nan_bits(bits_of(a))) return float_of(kCanonicalNan);
  return a > 0.0f ? a : 0.0f;
}
// 1 / sqrt(a), correctly rounded: FP64 is precise enough, as a test of every significand shows.
// +-0 gives an infinity of the same sign, everything below zero NaN.
inline float rsqrt(float a) {
  return canonical(static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))));
}
// a to the power of b (power.cpp): less than 0.501 ulp from the true value, special values as C's
// pow().
float power(float a, float b);

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

// max and min of the absolute values: never negative.
inline float absolute_maximum(float a, float b) {
  return maximum(absolute(a), absolute(b));
}
inline float absolute_minimum(float a, float b) {
  return minimum(absolute(a), absolute(b));
}

// Truth values as 1.0 or 0.0. True is everything except +0 and -0: NaN too.
inline float logical_and(float a, float b) {
  return a != 0.0f && b != 0.0f ? 1.0f : 0.0f;
}
inline float logical_or(float a, float b) {
  return a != 0.0f || b != 0.0f ? 1.0f : 0.0f;
}
inline float logical_xor(float a, float b) {
  return (a != 0.0f) != (b != 0.0f) ? 1.0f : 0.0f;
}

// 1.0 or 0.0; with a NaN operand all are false except not_equal.
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
