// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "sw/numerics/alu.h"
#include "sw/numerics/convert.h"
#include "sw/spec/extension.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"

// One of two values per element.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;
using Extend = tern_instr_extend_t;

// A predicate is true unless it is zero (NaN is true), or the opposite.
bool selects(float predicate, bool reverse) {
  return (predicate != 0.0f) != reverse;
}

void check_tensor_copy_predicated(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kTwoTiles | kPartReverse0);
  c.bypass(in.op0, offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.results_as_src0();
  c.src1_as_src0();
}

// Elements that are not selected keep their bits; selected ones are converted, or copied between
// equal formats.
void run_tensor_copy_predicated(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  const bool reverse = (operation.extension.flags & kExtendReverse0) != 0;
  const bool copies = in.src0_dtype == in.dst_dtype;
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_previous(operation);
  const std::size_t size = unit.previous.size(), n = unit.previous.count();
  std::vector<std::uint8_t> converted(n * size);
  for_raw_rows(unit, operation, [&](unsigned lane, std::uint8_t* out) {
    const float* predicate = unit.source1.row(lane);
    if (copies) {
      std::memcpy(converted.data(), unit.source0.raw(lane), n * size);
    } else {
      const numerics::ScopedFpModes modes;
      numerics::narrow(unit.previous.type(), unit.source0.row(lane), converted.data(), n);
    }
    const std::uint8_t* kept = unit.previous.raw(lane);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint8_t* from = selects(predicate[i], reverse) ? converted.data() : kept;
      std::memcpy(out + i * size, from + i * size, size);
    }
  });
}

// The only reduction is max.
void max_only(const ElementwiseChecker& c) {
  c.field(
      c.extension().reduce_op == TERN_ALU_OP_MAX || c.extension().reduce_op == TERN_ALU_OP_BYPASS,
      c.kExtensionByte + offsetof(Extend, reduce_op));
}

void check_select_reduce(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  c.begin(kTwoTiles | kPartStochastic | kPartScalar0 | kPartReverse0 | kPartReduce);
  max_only(c);
  c.bypass(in.op0, offsetof(Elementwise, op0));
  c.bypass(in.op1, offsetof(Elementwise, op1));
  c.results_as_src0();
  c.src1_as_src0();
}

void run_select_reduce(EngineUnit& unit, const Operation& operation) {
  const bool reverse = (operation.extension.flags & kExtendReverse0) != 0;
  unit.open_source0(operation);
  unit.open_source1(operation);
  unit.open_scalars(operation);
  const std::size_t n = unit.source0.count();
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    const float* value = unit.source0.row(lane);
    const float* predicate = unit.source1.row(lane);
    const float otherwise = unit.scalar0.at(lane);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = numerics::canonical(selects(predicate[i], reverse) ? value[i] : otherwise);
    }
  });
}

std::uint64_t select_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  return two_tile_cycles(operation, false);
}

void check_range_select(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Elementwise& in = c.in();
  const auto compares = [](unsigned op) {
    return op >= TERN_ALU_OP_IS_EQ && op <= TERN_ALU_OP_IS_LT;
  };
  c.begin(kRounded | kPartScalar0 | kPartScalar1 | kPartImm2 | kPartReduce);
  max_only(c);
  c.field(compares(in.op0), offsetof(Elementwise, op0));
  c.field(compares(in.op1), offsetof(Elementwise, op1));
  c.results_as_src0();
  c.no_src1();
}

// The index of an element, imm2 + i rounded to FP32, is compared with two bounds.
void run_range_select(EngineUnit& unit, const Operation& operation) {
  const auto& in = operation.instruction.elementwise;
  unit.open_source0(operation);
  unit.open_scalars(operation);
  const std::size_t n = unit.source0.count();
  std::vector<float> index(n), inside(n), other(n);
  {
    const numerics::ScopedFpModes modes;
    for (std::size_t i = 0; i < n; ++i) {
      index[i] = numerics::add(operation.extension.imm2, static_cast<float>(i));
    }
  }
  for_rows(unit, operation, [&](unsigned lane, float* out) {
    alu_scalar(in.op0, index.data(), unit.scalar0.at(lane), false, inside.data(), n);
    alu_scalar(in.op1, index.data(), unit.scalar1.at(lane), false, other.data(), n);
    const float* value = unit.source0.row(lane);
    for (std::size_t i = 0; i < n; ++i) {
      const bool in_range = inside[i] != 0.0f && other[i] != 0.0f;
      out[i] = in_range ? numerics::canonical(value[i]) : -std::numeric_limits<float>::max();
    }
  });
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_TENSOR_COPY_PREDICATED, check_tensor_copy_predicated, describe_elementwise,
     run_tensor_copy_predicated, select_cycles},
    {TERN_OPCODE_SELECT_REDUCE, check_select_reduce, describe_elementwise, run_select_reduce,
     select_cycles},
    {TERN_OPCODE_RANGE_SELECT, check_range_select, describe_elementwise, run_range_select,
     source_cycles},
};

}  // namespace

InstructionRows selections() {
  return kRows;
}

}  // namespace tern
