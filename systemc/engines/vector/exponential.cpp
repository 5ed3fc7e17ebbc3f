// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

#include "sw/numerics/dtype.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"

// The exponential instruction of the Vector engine: moves rows between the operands and the
// exponential unit, which may be its fast model, its RTL or both.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;
using Extend = tern_instr_extend_t;

void check_exponential(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.require(c.limits().exp_per_cycle != 0, TERN_ERROR_NOT_MODELLED,
            offsetof(tern_header_t, opcode));
  c.begin(kOuters | kPartReduce);
  c.field(c.extension().reduce_cmd == TERN_REDUCE_CMD_IDLE ||
              c.extension().reduce_op == TERN_ALU_OP_ADD,
          c.kExtensionByte + offsetof(Extend, reduce_op));
  c.bypass(in.op0, offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.require(numerics::is_float(numerics::DType{in.src0_dtype}), TERN_ERROR_BAD_DTYPE,
            offsetof(Elementwise, src0_dtype));
  c.require(numerics::is_float(numerics::DType{in.dst_dtype}), TERN_ERROR_BAD_DTYPE,
            offsetof(Elementwise, dst_dtype));
  c.results_as_src0();
  c.src1_column(0);
}

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
  unit.exp->begin(request);
  // A transfer to PSUM counts within the interval, so it must not start after it.
  if (unit.let_interval_pass && !unit.result.pattern().psum &&
      !Accumulators::stores_to_psum(operation.extension))
    unit.let_interval_pass();
  unit.exp->finish();
  for (unsigned lane = 0; lane < in.partitions; ++lane) {
    unit.accumulators.at(lane) = rows.sums[lane];
    unit.result.store_raw(lane, &rows.result[lane * request.result_pitch]);
  }
  unit.result.close();
  unit.accumulators.finish(unit.memory, operation.extension);
}

std::uint64_t exponential_cycles(const Operation& operation, unsigned, const IntervalRules& rules) {
  return ceil_div(source_elements(operation), rules.exp_per_cycle);
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_EXPONENTIAL, check_exponential, describe_elementwise, run_exponential,
     exponential_cycles},
};

}  // namespace

InstructionRows exponentials() {
  return kRows;
}

}  // namespace tern
