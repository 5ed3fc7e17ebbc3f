// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/numerics/instruction_codes.h"
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

using Activation = numerics::ActFunction;
using numerics::MxRule;

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
