// SPDX-License-Identifier: Apache-2.0
// The exponential instruction of the Vector engine: moves rows between the operands and the
// exponential unit, which may be its fast model, its RTL or both.
#include <cstring>

#include "systemc/engines/vector/instruction_families.h"

namespace tern {

void run_exponential(EngineUnit& unit, const Operation& operation) {
  const tern_instr_elementwise_t& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.scalar0.set(in.imm0);
  if (in.src1_dtype != TERN_DTYPE_NONE) unit.scalar0.open(unit.memory, in.src1.addr, in.partitions);
  unit.open_result(operation);
  unit.accumulators.begin(unit.memory, operation.extension, unit.result.pattern().partition,
                          in.partitions);

  ExpRequest request;
  request.partitions = in.partitions;
  request.elements = unit.source0.count();
  request.source_type = unit.source0.type();
  request.source_pitch = request.elements * numerics::dtype_size(request.source_type);
  request.result_type = unit.result.type();
  request.result_pitch = request.elements * numerics::dtype_size(request.result_type);
  request.sum = unit.accumulators.reduces() ? ExpSum::kAccumulate : ExpSum::kOff;

  // All rows are read before one is written: the unit works on all partitions at once.
  ExpRows& rows = unit.exp_rows;
  rows.source.resize(request.source_pitch * in.partitions);
  rows.result.resize(request.result_pitch * in.partitions);
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    std::memcpy(&rows.source[lane * request.source_pitch], unit.source0.raw(lane),
                request.source_pitch);
    rows.m[lane] = unit.scalar0.at(lane);
    rows.sums[lane] = unit.accumulators.at(lane);
  }
  request.source = rows.source.data();
  request.m = rows.m.data();
  request.result = rows.result.data();
  request.accumulators = rows.sums.data();
  if (unit.describe) request.name = unit.describe(unit.index);
  unit.exp->run(request);
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    unit.accumulators.at(lane) = rows.sums[lane];
    unit.result.store_raw(lane, &rows.result[lane * request.result_pitch]);
  }
  unit.result.close();
  unit.accumulators.finish(unit.memory, operation.extension);
}

}  // namespace tern
