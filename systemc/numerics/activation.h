// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/numerics/alu.h"
#include "systemc/numerics/exp.h"

// ACTIVATION: t = round(source * scale), u = round(t + bias), result = f(u). The functions f are
// identity and relu below, exp() and reciprocal().
namespace tern::numerics {

inline float activation_input(float source, float scale, float bias) {
  return add(multiply(source, scale), bias);
}

inline float identity(float u) {
  return canonical(u);
}

// +0 for everything not above zero; NaN stays NaN.
inline float relu(float u) {
  if (is_nan_bits(bits_of(u))) return float_of(kCanonicalNan);
  return u > 0.0f ? u : 0.0f;
}

}  // namespace tern::numerics
