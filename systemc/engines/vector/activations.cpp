// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "sw/numerics/activation.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"

// The Scalar engine's own instructions.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

void check_activation(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  const bool slope = in.op0 == TERN_ACT_FUNC_PRELU;
  c.begin(kRounded | kPartScalar0 | kPartScalar1 | kPartReduce | (slope ? kPartImm2 : 0u));
  c.field(in.op0 <= TERN_ACT_FUNC_RECIPROCAL, offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.results_as_src0();
  c.src1_column(kExtendScalar1);
}

void run_activation(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_scalars(operation);
  if (in.src1_dtype != TERN_DTYPE_NONE) unit.scalar1.open(unit.memory, in.src1.addr, in.partitions);
  const auto function = static_cast<numerics::ActFunction>(in.op0);
  const std::size_t n = unit.source0.count();
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const float* x = unit.source0.row(lane);
    const float scale = unit.scalar0.at(lane), bias = unit.scalar1.at(lane);
    for (std::size_t i = 0; i < n; ++i) out[i] = numerics::activation_input(x[i], scale, bias);
    numerics::activate(function, out, out, n, operation.extension.imm2);
  });
}

void check_activate2(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.require(c.limits().scalar.all_operators, TERN_ERROR_NOT_MODELLED,
            offsetof(tern_header_t, opcode));
  c.begin(kRounded | kPartScalar0 | kPartScalar1 | kPartReduce | kPartReverse0 | kPartReverse1);
  const bool multiply = in.op0 == TERN_ALU_OP_MULTIPLY;
  c.field(multiply || in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_SUBTRACT ||
              in.op0 == TERN_ALU_OP_BYPASS,
          offsetof(Elementwise, op0));
  c.field(in.op1 == TERN_ALU_OP_BYPASS ||
              (multiply && (in.op1 == TERN_ALU_OP_ADD || in.op1 == TERN_ALU_OP_SUBTRACT)),
          offsetof(Elementwise, op1));
  c.reverse_needs_two(kExtendReverse0, in.op0);
  c.reverse_needs_two(kExtendReverse1, in.op1);
  c.results_as_src0();
  c.no_src1();
}

// As tensor_scalar, with fewer pairs of operators.
void run_activate2(EngineUnit& unit, const Operation& operation) {
  run_tensor_scalar(unit, operation);
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_ACTIVATION, check_activation, describe_elementwise, run_activation, source_cycles},
    {TERN_OPCODE_ACTIVATE2, check_activate2, describe_elementwise, run_activate2, source_cycles},
};

}  // namespace

InstructionRows activations() {
  return kRows;
}

}  // namespace tern
