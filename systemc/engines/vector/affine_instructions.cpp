// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "sw/numerics/convert.h"
#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"
#include "systemc/engines/vector/special/affine.h"

// GpSimd: affine functions of indices.
namespace tern {

namespace {

using numerics::DType;

using Affine = tern_instr_affine_t;

struct AffineOperands {
  explicit AffineOperands(const Operation& operation)
      : in(operation.instruction.affine),
        dst(in.dst, operation.extension.dst_outer),
        src(in.src, operation.extension.src0_outer),
        dst_type(static_cast<DType>(in.dst_dtype)),
        src_type(static_cast<DType>(in.src_dtype)) {
    function.base = in.base;
    function.channel_multiplier = in.channel_multiplier;
    for (unsigned d = 0; d < 4; ++d) {
      function.step[d] = in.step[d];
      function.num[d] = dst.num(d);
    }
  }
  const tern_instr_affine_t& in;
  AccessPattern dst, src;
  DType dst_type, src_type;
  AffineFunction function;
};

AccessPattern affine_dst(const ElementwiseChecker& c) {
  const Affine& in = c.instruction().affine;
  c.field(in.partitions >= 1 && in.partitions <= TERN_CORE_SBUF_COUNT,
          offsetof(Affine, partitions));
  // Of the extension, the outer dimensions only.
  c.extension_zeros(offsetof(tern_instr_extend_t, src1_outer),
                    offsetof(tern_instr_extend_t, dst_reg));
  const AccessPattern dst = c.other_operand(in.dst, c.extension().dst_outer, offsetof(Affine, dst),
                                            offsetof(tern_instr_extend_t, dst_outer), in.dst_dtype,
                                            offsetof(Affine, dst_dtype), in.partitions);
  c.field(in.step[2] == 0 || c.extension().dst_outer.num2 != 0, offsetof(Affine, step) + 4);
  c.field(in.step[3] == 0 || c.extension().dst_outer.num3 != 0, offsetof(Affine, step) + 6);
  return dst;
}

void check_iota(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Affine& in = c.instruction().affine;
  affine_dst(c);
  c.extension_zeros(offsetof(tern_instr_extend_t, src0_outer),
                    offsetof(tern_instr_extend_t, src1_outer));
  c.require(in.src_dtype == TERN_DTYPE_NONE, TERN_ERROR_BAD_DTYPE, offsetof(Affine, src_dtype));
  c.zeros(offsetof(Affine, src), offsetof(Affine, base));
  c.zeros(offsetof(Affine, fill), offsetof(Affine, dst_dtype));
  c.field(in.op == TERN_ALU_OP_BYPASS, offsetof(Affine, op));
}

void run_iota(EngineUnit& unit, const Operation& operation) {
  const AffineOperands o(operation);
  unit.result.open(unit.memory, o.dst, o.dst_type, o.in.partitions);
  const bool integer = o.dst_type == DType::kInt32 || o.dst_type == DType::kUint32;
  const numerics::ScopedFpModes modes;
  for (unsigned lane = 0; lane < o.in.partitions; ++lane) {
    const std::vector<std::int32_t> values = o.function.row(lane);
    if (integer) {
      unit.result.store_raw(lane, reinterpret_cast<const std::uint8_t*>(values.data()));
      continue;
    }
    numerics::widen(DType::kInt32, values.data(), unit.result.row(), values.size());
    unit.result.store(lane);
  }
  unit.result.close();
}

void check_affine_select(const CheckInput& input) {
  const ElementwiseChecker c(input);
  const Affine& in = c.instruction().affine;
  const AccessPattern dst = affine_dst(c);
  const AccessPattern src = c.other_operand(in.src, c.extension().src0_outer, offsetof(Affine, src),
                                            offsetof(tern_instr_extend_t, src0_outer), in.src_dtype,
                                            offsetof(Affine, src_dtype), in.partitions);
  c.require(src.count() == dst.count(), TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Affine, src));
  c.field(in.op >= TERN_ALU_OP_IS_EQ && in.op <= TERN_ALU_OP_IS_LT, offsetof(Affine, op));
}

void run_affine_select(EngineUnit& unit, const Operation& operation) {
  const AffineOperands o(operation);
  unit.source0.open(unit.memory, o.src, o.src_type, o.in.partitions);
  unit.result.open(unit.memory, o.dst, o.dst_type, o.in.partitions);
  const std::size_t size = numerics::dtype_size(o.dst_type), n = unit.result.count();
  std::vector<std::uint8_t> taken(n * size), fill(size);
  const numerics::ScopedFpModes modes;
  numerics::narrow(o.dst_type, &o.in.fill, fill.data(), 1);
  for (unsigned lane = 0; lane < o.in.partitions; ++lane) {
    if (o.src_type == o.dst_type) {
      std::memcpy(taken.data(), unit.source0.raw(lane), n * size);
    } else {
      numerics::narrow(o.dst_type, unit.source0.row(lane), taken.data(), n);
    }
    const std::vector<std::int32_t> values = o.function.row(lane);
    for (std::size_t i = 0; i < n; ++i) {
      if (!compares_with_zero(o.in.op, values[i])) {
        std::memcpy(&taken[i * size], fill.data(), size);
      }
    }
    unit.result.store_raw(lane, taken.data());
  }
  unit.result.close();
}

std::uint64_t affine_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  const AccessPattern dst(operation.instruction.affine.dst, operation.extension.dst_outer);
  return kGpsimdStart + dst.count();
}

std::string describe_affine(const Operation& operation, unsigned index) {
  const auto& in = operation.instruction.affine;
  return fmt::format(R"({{"index":{},"P":{},"N":{},"dst":"{}"}})", index, in.partitions,
                     AccessPattern(in.dst, operation.extension.dst_outer).count(), place(in.dst));
}

constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_IOTA, check_iota, describe_affine, run_iota, affine_cycles},
    {TERN_OPCODE_AFFINE_SELECT, check_affine_select, describe_affine, run_affine_select,
     affine_cycles},
};

}  // namespace

InstructionRows affine_instructions() {
  return kRows;
}

}  // namespace tern
