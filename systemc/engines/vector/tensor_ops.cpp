// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "sw/numerics/dtype.h"
#include "sw/numerics/float_bits.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/bit_rows.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/integer_exact.h"
#include "systemc/engines/vector/interval_parts.h"

// Element by element: copies, one or two tiles, scalars.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

constexpr std::uint64_t kDynamicCopy = 600;  // tensor_copy with an address from a register

bool reversed(const Operation& operation, unsigned flag) {
  return (operation.extension.flags & flag) != 0;
}

void tensor_tensor_raw(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const bool integer = is_exact_integer(in, unit.queue);
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    const std::uint8_t* a = unit.source0.raw(lane);
    const std::uint8_t* b = unit.source1.raw(lane);
    if (integer) {
      integer_rows(in.op0, a, b, out, unit.source0.count());
    } else {
      bit_rows(in.op0, unit.source0.size(), a, b, out, unit.source0.count());
    }
  });
}

// Scalars: the lower bits of the immediates or of the columns' words.
void tensor_scalar_raw(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const std::size_t size = unit.source0.size(), n = unit.source0.count();
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    bit_scalar(in.op0, size, unit.source0.raw(lane), numerics::bits_of(unit.scalar0.at(lane)),
               reversed(operation, kExtendReverse0), out, n);
    bit_scalar(in.op1, size, out, numerics::bits_of(unit.scalar1.at(lane)),
               reversed(operation, kExtendReverse1), out, n);
  });
}

void check_tensor_copy(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kRounded);
  c.bypass(in.op0, offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.results_as_src0();
  c.no_src1();
}

// Between equal formats bit for bit, else through FP32.
void run_tensor_copy(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  if (in.src0_dtype == in.dst_dtype) {
    unit.open_result(operation);
    for (unsigned lane = 0; lane < in.partitions; ++lane) {
      unit.result.store_raw(lane, unit.source0.raw(lane));
    }
    return unit.result.close();
  }
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    std::memcpy(out, unit.source0.row(lane), unit.source0.count() * sizeof(float));
  });
}

std::uint64_t tensor_copy_cycles(const Operation& operation, unsigned queue,
                                 const IntervalRules& rules) {
  return std::max(copy_cycles(operation, queue, rules),
                  operation.dynamic_address ? kDynamicCopy : 0);
}

void check_tensor_tensor(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kTwoTiles | kPartStochastic);
  const bool bits = alu_is_bitwise(in.op0) && in.op0 != TERN_ALU_OP_BIT_NOT;
  if (!bits) c.two_operand(in.op0, offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.results_as_src0();
  c.src1_as_src0();
  if (!bits) return;
  c.bitwise();
  c.require(numerics::dtype_size(static_cast<numerics::DType>(in.src1_dtype)) ==
                numerics::dtype_size(static_cast<numerics::DType>(in.dst_dtype)),
            TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src1_dtype));
}

void run_tensor_tensor(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_source1(operation);
  if (alu_is_bitwise(in.op0) || is_exact_integer(in, unit.queue)) {
    return tensor_tensor_raw(unit, operation);
  }
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_rows(in.op0, unit.source0.row(lane), unit.source1.row(lane), out, unit.source0.count());
  });
}

// Elements per cycle on the Vector engine.
unsigned tensor_tensor_mode(const Operation& operation, const IntervalRules&) {
  const auto& in = operation.instruction.elementwise;
  const bool in_sbuf = !AccessPattern(in.src0).psum && !AccessPattern(in.src1).psum;
  return in_sbuf && is_16_bit_float(in.dst_dtype) && is_16_bit_float(in.src0_dtype) &&
                 is_16_bit_float(in.src1_dtype)
             ? 2
             : 1;
}

std::uint64_t tensor_tensor_cycles(const Operation& operation, unsigned queue,
                                   const IntervalRules& rules) {
  const bool fast =
      queue == TERN_QUEUE_VECTOR && rules.shared_bus && tensor_tensor_mode(operation, rules) > 1;
  return two_tile_cycles(operation, fast);
}

// Without all_operators: multiply then add, multiply, or add.
void scalar_engine_operators(const ElementwiseChecker& c) {
  const Elementwise& in = c.in();
  if (c.queue() != TERN_QUEUE_SCALAR || c.limits().scalar.all_operators) return;
  c.require(in.op0 == TERN_ALU_OP_MULTIPLY || in.op0 == TERN_ALU_OP_ADD, TERN_ERROR_NOT_MODELLED,
            offsetof(Elementwise, op0));
  c.require(
      in.op1 == TERN_ALU_OP_BYPASS || (in.op0 == TERN_ALU_OP_MULTIPLY && in.op1 == TERN_ALU_OP_ADD),
      TERN_ERROR_NOT_MODELLED, offsetof(Elementwise, op1));
}

void check_tensor_scalar(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  const bool bits = alu_is_bitwise(in.op0);
  const bool reduces = c.queue() == TERN_QUEUE_VECTOR && !bits;
  c.begin(kRounded | kPartScalar0 | kPartScalar1 | kPartReverse0 | kPartReverse1 |
          (reduces ? kPartReduce : 0u));
  if (bits) {
    c.field(alu_is_bitwise(in.op1) || in.op1 == TERN_ALU_OP_BYPASS, offsetof(Elementwise, op1));
  } else {
    c.with_scalar(in.op0, offsetof(Elementwise, op0));
    c.with_scalar(in.op1, offsetof(Elementwise, op1));
  }
  scalar_engine_operators(c);
  c.reverse_needs_two(kExtendReverse0, in.op0);
  c.reverse_needs_two(kExtendReverse1, in.op1);
  c.results_as_src0();
  c.src1_column(kExtendScalar0);
  if (bits) c.bitwise();
}

}  // namespace

void run_tensor_scalar(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_scalars(operation);
  if (in.src1_dtype != TERN_DTYPE_NONE) unit.scalar0.open(unit.memory, in.src1.addr, in.partitions);
  if (alu_is_bitwise(in.op0)) return tensor_scalar_raw(unit, operation);
  const std::size_t n = unit.source0.count();
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scalar(in.op0, unit.source0.row(lane), unit.scalar0.at(lane),
               reversed(operation, kExtendReverse0), out, n);
    if (in.op1 != TERN_ALU_OP_BYPASS) {
      alu_scalar(in.op1, out, unit.scalar1.at(lane), reversed(operation, kExtendReverse1), out, n);
    }
  });
}

namespace {

void check_scalar_tensor_tensor(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kTwoTiles | kPartStochastic | kPartScalar0 | kPartReverse0 | kPartReverse1);
  c.with_scalar(in.op0, offsetof(Elementwise, op0));
  c.two_operand(in.op1, offsetof(Elementwise, op1));
  c.reverse_needs_two(kExtendReverse0, in.op0);
  c.reverse_needs_two(kExtendReverse1, in.op1);
  c.results_as_src0();
  c.src1_as_src0();
}

void run_scalar_tensor_tensor(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const bool reverse0 = reversed(operation, kExtendReverse0);
  const bool reverse1 = reversed(operation, kExtendReverse1);
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_scalars(operation);
  const std::size_t n = unit.source0.count();
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scalar(in.op0, unit.source0.row(lane), unit.scalar0.at(lane), reverse0, out, n);
    const float* tile = unit.source1.row(lane);
    alu_rows(in.op1, reverse1 ? tile : out, reverse1 ? out : tile, out, n);
  });
}

// Fast: both tiles BF16, subtract then multiply, an even number of elements; or one in PSUM.
std::uint64_t scalar_tensor_tensor_cycles(const Operation& operation, unsigned,
                                          const IntervalRules&) {
  const auto& in = operation.instruction.elementwise;
  const std::uint64_t n = source_elements(operation);
  const bool fast = in.src0_dtype == TERN_DTYPE_BF16 && in.src1_dtype == TERN_DTYPE_BF16 &&
                    in.op0 == TERN_ALU_OP_SUBTRACT && in.op1 == TERN_ALU_OP_MULTIPLY && n % 2 == 0;
  return two_tile_cycles(operation, fast);
}

void check_memset(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kPartDstOuter | kPartScalar0 | kPartStochastic);
  c.bypass(in.op0, offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.dst();
  c.no_src0();
  c.no_src1();
}

void run_memset(EngineUnit& unit, const Operation& operation) {
  unit.open_scalars(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    std::fill_n(out, unit.result.count(), unit.scalar0.at(lane));
  });
}

std::uint64_t memset_cycles(const Operation& operation, unsigned queue, const IntervalRules&) {
  const auto& in = operation.instruction.elementwise;
  const bool zero = queue == TERN_QUEUE_VECTOR && in.imm0 == 0.0f &&
                    (operation.extension.flags & kExtendScalar0) == 0;
  const bool narrow = numerics::dtype_size(static_cast<numerics::DType>(in.dst_dtype)) == 2;
  return ceil_div(result_elements(operation), zero && narrow ? 2 : 1);
}

void check_reciprocal(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kRounded);
  c.bypass(in.op0, offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.results_as_src0();
  c.no_src1();
}

void run_reciprocal(EngineUnit& unit, const Operation& operation) {
  unit.open_source0(operation);
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scalar(TERN_ALU_OP_RECIPROCAL, unit.source0.row(lane), 0.0f, false, out,
               unit.source0.count());
  });
}

std::uint64_t reciprocal_cycles(const Operation& operation, unsigned, const IntervalRules& rules) {
  const auto elements = static_cast<double>(source_elements(operation));
  return static_cast<std::uint64_t>(std::ceil(rules.vector.reciprocal_cycles * elements));
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_TENSOR_COPY, check_tensor_copy, describe_elementwise, run_tensor_copy,
     tensor_copy_cycles, copy_mode},
    {TERN_OPCODE_TENSOR_TENSOR, check_tensor_tensor, describe_elementwise, run_tensor_tensor,
     tensor_tensor_cycles, tensor_tensor_mode},
    {TERN_OPCODE_TENSOR_SCALAR, check_tensor_scalar, describe_elementwise, run_tensor_scalar,
     copy_cycles, copy_mode},
    {TERN_OPCODE_SCALAR_TENSOR_TENSOR, check_scalar_tensor_tensor, describe_elementwise,
     run_scalar_tensor_tensor, scalar_tensor_tensor_cycles},
    {TERN_OPCODE_MEMSET, check_memset, describe_elementwise, run_memset, memset_cycles},
    {TERN_OPCODE_RECIPROCAL, check_reciprocal, describe_elementwise, run_reciprocal,
     reciprocal_cycles},
};

}  // namespace

InstructionRows tensor_ops() {
  return kRows;
}

}  // namespace tern
