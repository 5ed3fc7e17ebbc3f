// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/isa.h"

// The operations of instructions, by the names of the instruction set (docs/numerics.md has what
// each computes).
namespace tern::kernels {

enum class Alu : std::uint8_t {
  kBypass = TERN_ALU_OP_BYPASS,
  kAdd = TERN_ALU_OP_ADD,
  kSubtract = TERN_ALU_OP_SUBTRACT,
  kMultiply = TERN_ALU_OP_MULTIPLY,
  kMax = TERN_ALU_OP_MAX,
  kMin = TERN_ALU_OP_MIN,
  kIsEq = TERN_ALU_OP_IS_EQ,
  kIsNe = TERN_ALU_OP_IS_NE,
  kIsGe = TERN_ALU_OP_IS_GE,
  kIsGt = TERN_ALU_OP_IS_GT,
  kIsLe = TERN_ALU_OP_IS_LE,
  kIsLt = TERN_ALU_OP_IS_LT,
  kAbsMax = TERN_ALU_OP_ABS_MAX,
  kAbsMin = TERN_ALU_OP_ABS_MIN,
  kLogicalAnd = TERN_ALU_OP_LOGICAL_AND,
  kLogicalOr = TERN_ALU_OP_LOGICAL_OR,
  kLogicalXor = TERN_ALU_OP_LOGICAL_XOR,
  kPower = TERN_ALU_OP_POWER,  // GpSimd
  // Of the first operand alone.
  kAbs = TERN_ALU_OP_ABS,
  kSquare = TERN_ALU_OP_SQUARE,
  kRelu = TERN_ALU_OP_RELU,
  kRsqrt = TERN_ALU_OP_RSQRT,
  kReciprocal = TERN_ALU_OP_RECIPROCAL,
  // Vector, on the elements unconverted.
  kBitNot = TERN_ALU_OP_BIT_NOT,
  kBitAnd = TERN_ALU_OP_BIT_AND,
  kBitOr = TERN_ALU_OP_BIT_OR,
  kBitXor = TERN_ALU_OP_BIT_XOR,
  kShiftLeft = TERN_ALU_OP_SHIFT_LEFT,
  kShiftRight = TERN_ALU_OP_SHIFT_RIGHT,
};
constexpr bool is_unary(Alu op) {
  return (op >= Alu::kAbs && op <= Alu::kReciprocal) || op == Alu::kBitNot;
}
constexpr bool is_bitwise(Alu op) {
  return op >= Alu::kBitNot;
}
constexpr bool is_comparison(Alu op) {
  return op >= Alu::kIsEq && op <= Alu::kIsLt;
}

enum class Activation : std::uint8_t {
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

enum class MxRule : std::uint8_t { kAws = TERN_MX_RULE_AWS, kOcp = TERN_MX_RULE_OCP };

// What an instruction does with the accumulators of its engine, one FP32 per partition.
enum class ReduceCommand : std::uint8_t {
  kIdle = TERN_REDUCE_CMD_IDLE,
  kReset = TERN_REDUCE_CMD_RESET,
  kReduce = TERN_REDUCE_CMD_REDUCE,
  kResetReduce = TERN_REDUCE_CMD_RESET_REDUCE,
  kLoadReduce = TERN_REDUCE_CMD_LOAD_REDUCE,
};

// Engines that execute the same instruction: where the author has a choice.
enum class Engine : std::uint8_t {
  kTensor = TERN_QUEUE_TENSOR,
  kVector = TERN_QUEUE_VECTOR,
  kScalar = TERN_QUEUE_SCALAR,
  kGpsimd = TERN_QUEUE_GPSIMD,
};

}  // namespace tern::kernels
