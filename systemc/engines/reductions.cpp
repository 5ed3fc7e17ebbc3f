// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/alu_rows.h"
#include "systemc/engines/extension.h"
#include "systemc/engines/instruction_families.h"
#include "systemc/engines/reduced_dimensions.h"
#include "systemc/numerics/alu.h"

// Several elements of a partition make one.
namespace tern {

void run_tensor_reduce(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  const auto inner =
      static_cast<std::size_t>(reduced_elements(unit.source0.pattern(), reduced_dimensions(in)));
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const float* a = unit.source0.row(lane);
    const std::size_t n = unit.result.count();
    for (std::size_t i = 0; i < n; ++i, a += inner) {
      out[i] = alu_chain(in.op0, numerics::canonical(a[0]), a + 1, inner - 1);
      if (in.op1 == TERN_ALU_OP_SUBTRACT) out[i] = numerics::negate(out[i]);
    }
  });
}

}  // namespace tern
