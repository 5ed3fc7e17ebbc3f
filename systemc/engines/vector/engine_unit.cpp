// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/engine_unit.h"

#include "sw/spec/extension.h"

namespace tern {

void EngineUnit::open_source0(const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  source0.open(memory, AccessPattern(in.src0, operation.extension.src0_outer),
               static_cast<numerics::DType>(in.src0_dtype), in.partitions);
}

void EngineUnit::open_source1(const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  source1.open(memory, AccessPattern(in.src1, operation.extension.src1_outer),
               static_cast<numerics::DType>(in.src1_dtype), in.partitions);
}

void EngineUnit::open_result(const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  result.open(memory, AccessPattern(in.dst, operation.extension.dst_outer),
              static_cast<numerics::DType>(in.dst_dtype), in.partitions);
  if ((operation.extension.flags & kExtendStochastic) != 0) result.round_stochastically(&random);
}

void EngineUnit::open_previous(const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  previous.open(memory, AccessPattern(in.dst, operation.extension.dst_outer),
                static_cast<numerics::DType>(in.dst_dtype), in.partitions);
}

void EngineUnit::open_scalars(const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const auto& extension = operation.extension;
  if ((extension.flags & kExtendScalar0) != 0) {
    scalar0.open(memory, extension.scalar0, in.partitions);
  } else {
    scalar0.set(in.imm0);
  }
  if ((extension.flags & kExtendScalar1) != 0) {
    scalar1.open(memory, extension.scalar1, in.partitions);
  } else {
    scalar1.set(in.imm1);
  }
}

}  // namespace tern
