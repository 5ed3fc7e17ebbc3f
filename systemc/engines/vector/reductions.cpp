// SPDX-License-Identifier: Apache-2.0
#include "sw/numerics/alu.h"
#include "sw/spec/extension.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/bit_rows.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/reduced_dimensions.h"

// Several elements of a partition make one.
namespace tern {

void run_tensor_reduce(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  const auto inner =
      static_cast<std::size_t>(reduced_elements(unit.source0.pattern(), reduced_dimensions(in)));
  if (alu_is_bitwise(in.op0)) {
    const std::size_t size = unit.source0.size();
    return for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
      const std::uint8_t* a = unit.source0.raw(lane);
      for (std::size_t i = 0; i < unit.result.count(); ++i) {
        bit_chain(in.op0, size, a + i * inner * size, inner, out + i * size);
      }
    });
  }
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const float* a = unit.source0.row(lane);
    const std::size_t n = unit.result.count();
    for (std::size_t i = 0; i < n; ++i, a += inner) {
      out[i] = alu_chain(in.op0, numerics::canonical(a[0]), a + 1, inner - 1);
      if (in.op1 == TERN_ALU_OP_SUBTRACT) out[i] = numerics::negate(out[i]);
    }
  });
}

// The state goes on in FP32, whatever the destination's format.
void run_tensor_tensor_scan(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const bool reverse0 = (operation.extension.flags & kExtendReverse0) != 0;
  const bool reverse1 = (operation.extension.flags & kExtendReverse1) != 0;
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_scalars(operation);
  const std::size_t n = unit.source0.count();
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scan({in.op0, reverse0}, {in.op1, reverse1}, unit.scalar0.at(lane), unit.source0.row(lane),
             unit.source1.row(lane), out, n);
  });
}

// The chain begins with imm1 (or its column); with the commands reduce and load_reduce with the
// accumulator, which then receives the last result.
void run_tensor_scalar_cumulative(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const auto& extension = operation.extension;
  const bool reverse0 = (extension.flags & kExtendReverse0) != 0;
  const bool keeps = extension.reduce_cmd != TERN_REDUCE_CMD_IDLE;
  const bool goes_on = keeps && extension.reduce_cmd != TERN_REDUCE_CMD_RESET_REDUCE;
  unit.open_source0(operation);
  unit.open_scalars(operation);
  unit.open_result(operation);
  unit.accumulators.begin(unit.memory, extension, unit.result.pattern().partition, in.partitions);
  const std::size_t n = unit.source0.count();
  {
    const numerics::ScopedFpModes modes;
    for (unsigned lane = 0; lane < in.partitions; ++lane) {
      float* out = unit.result.row();
      alu_scalar(in.op0, unit.source0.row(lane), unit.scalar0.at(lane), reverse0, out, n);
      float state = goes_on ? unit.accumulators.at(lane) : unit.scalar1.at(lane);
      state = alu_running(in.op1, state, out, n);
      if (keeps) unit.accumulators.at(lane) = state;
      unit.result.store(lane);
    }
  }
  unit.result.close();
  unit.accumulators.finish(unit.memory, extension);
}

}  // namespace tern
