// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/spec/generated/isa.h"

namespace tern {

// The set of tables that the Scalar engine needs for an activation function; none: it works with
// any. The engine holds one set. Assumption: functions share a set if they come from the same one.
inline std::optional<unsigned> tables_of_function(unsigned function) {
  enum Set { kExp, kSigmoid, kTanh, kErf, kRoot, kSin, kArctan };
  switch (function) {
    case TERN_ACT_FUNC_EXP:
    case TERN_ACT_FUNC_LOG:
    case TERN_ACT_FUNC_SOFTPLUS:
      return kExp;
    case TERN_ACT_FUNC_SIGMOID:
    case TERN_ACT_FUNC_SILU:
    case TERN_ACT_FUNC_SILU_DX:
    case TERN_ACT_FUNC_GELU_APPRX_SIGMOID:
    case TERN_ACT_FUNC_GELU_APPRX_SIGMOID_DX:
      return kSigmoid;
    case TERN_ACT_FUNC_TANH:
    case TERN_ACT_FUNC_GELU_APPRX_TANH:
    case TERN_ACT_FUNC_MISH:
      return kTanh;
    case TERN_ACT_FUNC_ERF:
    case TERN_ACT_FUNC_ERF_DX:
    case TERN_ACT_FUNC_GELU:
    case TERN_ACT_FUNC_GELU_DX:
      return kErf;
    case TERN_ACT_FUNC_SQRT:
    case TERN_ACT_FUNC_RSQRT:
    case TERN_ACT_FUNC_RECIPROCAL:
      return kRoot;
    case TERN_ACT_FUNC_SIN:
      return kSin;
    case TERN_ACT_FUNC_ARCTAN:
      return kArctan;
    default:  // identity, relu, prelu, square, sign, abs
      return std::nullopt;
  }
}

}  // namespace tern
