// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sw/numerics/alu.h"
#include "sw/numerics/exp.h"
#include "sw/spec/generated/isa.h"

// ACTIVATION: t = round(source * scale), u = round(t + bias), result = f(u).
namespace tern::numerics {

inline float activation_input(float source, float scale, float bias) {
  return add(multiply(source, scale), bias);
}

inline float identity(float u) {
  return canonical(u);
}

// Values: act_func of docs/spec/isa.yaml.
enum class ActFunction : std::uint8_t {
  kIdentity = TERN_ACT_FUNC_IDENTITY,
  kRelu = TERN_ACT_FUNC_RELU,
  kExp = TERN_ACT_FUNC_EXP,
  kSquare = TERN_ACT_FUNC_SQUARE,
  kSigmoid = TERN_ACT_FUNC_SIGMOID,
  kPrelu = TERN_ACT_FUNC_PRELU,
  kGelu = TERN_ACT_FUNC_GELU,
  kGeluDx = TERN_ACT_FUNC_GELU_DX,
  kGeluApprxTanh = TERN_ACT_FUNC_GELU_APPRX_TANH,
  kGeluApprxSigmoid = TERN_ACT_FUNC_GELU_APPRX_SIGMOID,
  kGeluApprxSigmoidDx = TERN_ACT_FUNC_GELU_APPRX_SIGMOID_DX,
  kSilu = TERN_ACT_FUNC_SILU,
  kSiluDx = TERN_ACT_FUNC_SILU_DX,
  kTanh = TERN_ACT_FUNC_TANH,
  kSoftplus = TERN_ACT_FUNC_SOFTPLUS,
  kMish = TERN_ACT_FUNC_MISH,
  kErf = TERN_ACT_FUNC_ERF,
  kErfDx = TERN_ACT_FUNC_ERF_DX,
  kSign = TERN_ACT_FUNC_SIGN,
  kAbs = TERN_ACT_FUNC_ABS,
  kLog = TERN_ACT_FUNC_LOG,
  kSin = TERN_ACT_FUNC_SIN,
  kArctan = TERN_ACT_FUNC_ARCTAN,
  kSqrt = TERN_ACT_FUNC_SQRT,
  kRsqrt = TERN_ACT_FUNC_RSQRT,
  kReciprocal = TERN_ACT_FUNC_RECIPROCAL,
};
constexpr unsigned kActFunctions = TERN_ACT_FUNC_COUNT;

// As in docs/spec/isa.yaml: "gelu_apprx_tanh".
const char* act_function_name(ActFunction f);

// y[i] = f(u[i]) in FP32, i < n; bit-exact by definition (docs/numerics.md, Activation functions).
// u and y may be the same array, but must not overlap otherwise. parameter: prelu's slope; the
// others ignore it. Needs the default floating-point modes: see ScopedFpModes. Throws
// std::logic_error for a number that is not a function.
void activate(ActFunction f, const float* u, float* y, std::size_t n, float parameter = 0.0f);

}  // namespace tern::numerics
