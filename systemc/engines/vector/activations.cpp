// SPDX-License-Identifier: Apache-2.0
#include "sw/numerics/activation.h"

#include "systemc/engines/vector/instruction_families.h"

// The Scalar engine's own instructions.
namespace tern {

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

// As tensor_scalar, with fewer pairs of operators.
void run_activate2(EngineUnit& unit, const Operation& operation) {
  run_tensor_scalar(unit, operation);
}

}  // namespace tern
