// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "sw/numerics/alu.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/bit_rows.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"
#include "systemc/engines/vector/reduced_dimensions.h"

// Several elements of a partition are combined into one.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

void check_tensor_reduce(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  const bool bits = in.op0 == TERN_ALU_OP_BIT_AND || in.op0 == TERN_ALU_OP_BIT_OR ||
                    in.op0 == TERN_ALU_OP_BIT_XOR;
  c.begin(kRounded);
  c.field(alu_is_reducible(in.op0) || bits, offsetof(Elementwise, op0));
  c.field(in.op1 == TERN_ALU_OP_BYPASS || (in.op1 == TERN_ALU_OP_SUBTRACT && !bits),
          offsetof(Elementwise, op1));
  const unsigned dimensions = reduced_dimensions(in);
  c.field(dimensions != 0, offsetof(Elementwise, imm0));
  const AccessPattern source = c.src0();
  c.results(source.count() / reduced_elements(source, dimensions));
  c.no_src1();
  if (bits) c.bitwise();
}

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

std::uint64_t tensor_reduce_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  const auto& in = operation.instruction.elementwise;
  const bool fast = in.dst_dtype == TERN_DTYPE_BF16 && in.src0_dtype == TERN_DTYPE_BF16 &&
                    (in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_MAX);
  return ceil_div(source_elements(operation), fast ? 2 : 1);
}

void check_tensor_tensor_scan(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kTwoTiles | kPartStochastic | kPartScalar0 | kPartReverse0 | kPartReverse1);
  c.two_operand(in.op0, offsetof(Elementwise, op0));
  c.two_operand(in.op1, offsetof(Elementwise, op1));
  c.reverse_needs_two(kExtendReverse0, in.op0);
  c.reverse_needs_two(kExtendReverse1, in.op1);
  c.results_as_src0();
  c.src1_as_src0();
  c.require(!c.src0().psum || !c.src1().psum, TERN_ERROR_FORBIDDEN_MEMORY,
            offsetof(Elementwise, src1));
}

// The state stays in FP32, whatever the destination's format.
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

std::uint64_t tensor_tensor_scan_cycles(const Operation& operation, unsigned,
                                        const IntervalRules&) {
  return 2 * source_elements(operation);
}

void check_tensor_scalar_cumulative(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kRounded | kPartScalar0 | kPartScalar1 | kPartReverse0 | kPartCarry);
  c.with_scalar(in.op0, offsetof(Elementwise, op0));
  c.reverse_needs_two(kExtendReverse0, in.op0);
  c.field(in.op1 >= TERN_ALU_OP_ADD && in.op1 <= TERN_ALU_OP_MIN, offsetof(Elementwise, op1));
  c.results_as_src0();
  c.no_src1();
  const auto is_wide = [](unsigned dtype) {
    return dtype == TERN_DTYPE_INT32 || dtype == TERN_DTYPE_UINT32;
  };
  c.require(!is_wide(in.dst_dtype), TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, dst_dtype));
  c.require(!is_wide(in.src0_dtype), TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src0_dtype));
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

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_TENSOR_REDUCE, check_tensor_reduce, describe_elementwise, run_tensor_reduce,
     tensor_reduce_cycles},
    {TERN_OPCODE_TENSOR_TENSOR_SCAN, check_tensor_tensor_scan, describe_elementwise,
     run_tensor_tensor_scan, tensor_tensor_scan_cycles},
    {TERN_OPCODE_TENSOR_SCALAR_CUMULATIVE, check_tensor_scalar_cumulative, describe_elementwise,
     run_tensor_scalar_cumulative, source_cycles},
};

}  // namespace

InstructionRows reductions() {
  return kRows;
}

}  // namespace tern
