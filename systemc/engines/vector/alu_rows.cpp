// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/alu_rows.h"

#include "sw/numerics/alu.h"
#include "sw/spec/generated/isa.h"

namespace tern {

namespace {

// Calls visit with the function of an operation, so that each gets a loop of its own.
template <typename Visit>
auto with_alu(unsigned op, Visit visit) {
  switch (op) {
    case TERN_ALU_OP_ADD:
      return visit([](float a, float b) { return numerics::add(a, b); });
    case TERN_ALU_OP_SUBTRACT:
      return visit([](float a, float b) { return numerics::subtract(a, b); });
    case TERN_ALU_OP_MULTIPLY:
      return visit([](float a, float b) { return numerics::multiply(a, b); });
    case TERN_ALU_OP_MAX:
      return visit([](float a, float b) { return numerics::maximum(a, b); });
    case TERN_ALU_OP_MIN:
      return visit([](float a, float b) { return numerics::minimum(a, b); });
    case TERN_ALU_OP_IS_EQ:
      return visit([](float a, float b) { return numerics::equal(a, b); });
    case TERN_ALU_OP_IS_NE:
      return visit([](float a, float b) { return numerics::not_equal(a, b); });
    case TERN_ALU_OP_IS_GE:
      return visit([](float a, float b) { return numerics::greater_equal(a, b); });
    case TERN_ALU_OP_IS_GT:
      return visit([](float a, float b) { return numerics::greater(a, b); });
    case TERN_ALU_OP_IS_LE:
      return visit([](float a, float b) { return numerics::less_equal(a, b); });
    case TERN_ALU_OP_IS_LT:
      return visit([](float a, float b) { return numerics::less(a, b); });
    case TERN_ALU_OP_ABS_MAX:
      return visit([](float a, float b) { return numerics::absolute_maximum(a, b); });
    case TERN_ALU_OP_ABS_MIN:
      return visit([](float a, float b) { return numerics::absolute_minimum(a, b); });
    case TERN_ALU_OP_LOGICAL_AND:
      return visit([](float a, float b) { return numerics::logical_and(a, b); });
    case TERN_ALU_OP_LOGICAL_OR:
      return visit([](float a, float b) { return numerics::logical_or(a, b); });
    case TERN_ALU_OP_LOGICAL_XOR:
      return visit([](float a, float b) { return numerics::logical_xor(a, b); });
    case TERN_ALU_OP_POWER:
      return visit([](float a, float b) { return numerics::power(a, b); });
    case TERN_ALU_OP_ABS:
      return visit([](float a, float) { return numerics::absolute(a); });
    case TERN_ALU_OP_SQUARE:
      return visit([](float a, float) { return numerics::square(a); });
    case TERN_ALU_OP_RELU:
      return visit([](float a, float) { return numerics::relu(a); });
    case TERN_ALU_OP_RSQRT:
      return visit([](float a, float) { return numerics::rsqrt(a); });
    case TERN_ALU_OP_RECIPROCAL:
      return visit([](float a, float) { return numerics::reciprocal(a); });
    default:
      return visit([](float a, float) { return numerics::canonical(a); });
  }
}

}  // namespace

bool alu_is_float(unsigned op) {
  return op <= TERN_ALU_OP_RECIPROCAL;
}
bool alu_is_unary(unsigned op) {
  return (op >= TERN_ALU_OP_ABS && op <= TERN_ALU_OP_RECIPROCAL) || op == TERN_ALU_OP_BIT_NOT;
}
bool alu_is_bitwise(unsigned op) {
  return op >= TERN_ALU_OP_BIT_NOT && op <= TERN_ALU_OP_SHIFT_RIGHT;
}
bool alu_is_reducible(unsigned op) {
  return (op >= TERN_ALU_OP_ADD && op <= TERN_ALU_OP_MIN) ||
         (op >= TERN_ALU_OP_ABS_MAX && op <= TERN_ALU_OP_LOGICAL_XOR);
}

float alu(unsigned op, float a, float b) {
  return with_alu(op, [=](auto f) { return f(a, b); });
}

void alu_rows(unsigned op, const float* a, const float* b, float* out, std::size_t n) {
  with_alu(op, [=](auto f) {
    for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
  });
}

void alu_scalar(unsigned op, const float* a, float scalar, bool reverse, float* out,
                std::size_t n) {
  with_alu(op, [=](auto f) {
    if (reverse) {
      for (std::size_t i = 0; i < n; ++i) out[i] = f(scalar, a[i]);
    } else {
      for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i], scalar);
    }
  });
}

float alu_chain(unsigned op, float start, const float* a, std::size_t n) {
  return with_alu(op, [=](auto f) {
    float chain = start;
    for (std::size_t i = 0; i < n; ++i) chain = f(chain, a[i]);
    return chain;
  });
}

float alu_running(unsigned op, float start, float* row, std::size_t n) {
  return with_alu(op, [=](auto f) {
    float chain = start;
    for (std::size_t i = 0; i < n; ++i) row[i] = chain = f(chain, row[i]);
    return chain;
  });
}

void alu_scan(AluStep op0, AluStep op1, float start, const float* a, const float* b, float* out,
              std::size_t n) {
  using Function = float (*)(float, float);
  const auto function = [](unsigned op) {
    return with_alu(op, [](auto f) -> Function { return f; });
  };
  const Function f = function(op0.op), g = function(op1.op);
  float state = start;
  for (std::size_t i = 0; i < n; ++i) {
    const float first = op0.reverse ? f(state, a[i]) : f(a[i], state);
    out[i] = state = op1.reverse ? g(b[i], first) : g(first, b[i]);
  }
}

}  // namespace tern
