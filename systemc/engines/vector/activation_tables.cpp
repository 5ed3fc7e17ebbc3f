// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/activation_tables.h"

namespace tern {

namespace {

enum Set { kExp, kSigmoid, kTanh, kErf, kRoot, kSin, kArctan };

}  // namespace

std::optional<unsigned> activation_tables(const Operation& operation) {
  if (operation.opcode() != TERN_OPCODE_ACTIVATION) return std::nullopt;
  switch (operation.instruction.elementwise.op0) {
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
