// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/isa.h"

// Fields of instructions that choose the arithmetic, with the codes of docs/spec/isa.yaml.
namespace tern::numerics {

// act_func
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

// mx_rule. The exponent of a block: with one binade of headroom above its largest element, or none.
enum class MxRule : std::uint8_t { kAws = TERN_MX_RULE_AWS, kOcp = TERN_MX_RULE_OCP };

}  // namespace tern::numerics
