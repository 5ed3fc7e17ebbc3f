// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sw/numerics/alu.h"
#include "sw/numerics/exp.h"
#include "sw/numerics/instruction_codes.h"

// ACTIVATION: t = round(source * scale), u = round(t + bias), result = f(u).
namespace tern::numerics {

inline float activation_input(float source, float scale, float bias) {
  return add(multiply(source, scale), bias);
}

inline float identity(float u) {
  return canonical(u);
}

// As in docs/spec/isa.yaml: "gelu_apprx_tanh".
const char* act_function_name(ActFunction f);

// y[i] = f(u[i]) in FP32, i < n; bit-exact by definition (docs/numerics.md, Activation functions).
// u and y may be the same array, but must not overlap otherwise. parameter: prelu's slope; the
// others ignore it. Needs the default floating-point modes: see ScopedFpModes. Throws
// std::logic_error for a number that is not a function.
void activate(ActFunction f, const float* u, float* y, std::size_t n, float parameter = 0.0f);

}  // namespace tern::numerics
