// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/instruction/operand_text.h"
#include "systemc/engines/vector/elementwise_check.h"
#include "systemc/engines/vector/instruction_families.h"
#include "systemc/engines/vector/interval_parts.h"
#include "systemc/engines/vector/mx_convert.h"

// Conversions to and from MX formats.
namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

constexpr unsigned kSlots = 4;
constexpr unsigned kPartitionMask = 0x7Fu << 24;

void check_common(const ElementwiseChecker& c, unsigned last_rule) {
  const Elementwise& in = c.in();
  c.require(c.limits().tensor.mx, TERN_ERROR_NOT_MODELLED, offsetof(tern_header_t, opcode));
  c.field(in.reserved == 0, offsetof(Elementwise, reserved));
  c.field(in.partitions >= TERN_LIMIT_QUADRANT && in.partitions <= TERN_CORE_SBUF_COUNT &&
              in.partitions % TERN_LIMIT_QUADRANT == 0,
          offsetof(Elementwise, partitions));
  c.field(in.op0 <= last_rule, offsetof(Elementwise, op0));
  c.field(in.op1 == TERN_ALU_OP_BYPASS, offsetof(Elementwise, op1));
  c.zeros(offsetof(Elementwise, imm0), offsetof(Elementwise, imm1) + sizeof in.imm1);
}

void check_operand(const ElementwiseChecker& c, const tern_ap_t& ap, std::size_t byte,
                   unsigned dtype) {
  const AccessPattern fields(ap);
  const std::size_t size = numerics::dtype_size(static_cast<numerics::DType>(dtype));
  c.require(!fields.psum, TERN_ERROR_FORBIDDEN_MEMORY, byte);
  c.require(fields.byte % size == 0, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  c.pattern(ap, byte, size, c.in().partitions);
}

// One byte per x4 column, at the same position in each quadrant of the x4 operand.
void check_scales(const ElementwiseChecker& c, const tern_ap_t& x4) {
  const Elementwise& in = c.in();
  const std::size_t byte = offsetof(Elementwise, src1);
  c.require(in.src1_dtype == TERN_DTYPE_E8M0, TERN_ERROR_BAD_DTYPE,
            offsetof(Elementwise, src1_dtype));
  const AccessPattern fields(in.src1), elements(x4);
  const unsigned offset = fields.partition - elements.partition;
  c.require(offset % 4 == 0 && offset <= 12, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  tern_ap_t quadrants = in.src1;  // the rule of start partitions is the operand's
  quadrants.addr = (quadrants.addr & ~kPartitionMask) | (x4.addr & kPartitionMask);
  check_operand(c, quadrants, byte, TERN_DTYPE_E8M0);
  c.require(fields.count() == elements.count(), TERN_ERROR_BAD_ACCESS_PATTERN, byte);
}

void check_quantize_mx(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.no_extension();
  const Elementwise& in = c.in();
  check_common(c, TERN_MX_RULE_OCP);
  c.require(numerics::is_fp8_x4(numerics::DType{in.dst_dtype}), TERN_ERROR_BAD_DTYPE,
            offsetof(Elementwise, dst_dtype));
  c.require(in.src0_dtype == TERN_DTYPE_BF16 || in.src0_dtype == TERN_DTYPE_FP16,
            TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src0_dtype));
  check_operand(c, in.dst, offsetof(Elementwise, dst), in.dst_dtype);
  check_operand(c, in.src0, offsetof(Elementwise, src0), in.src0_dtype);
  c.require(AccessPattern(in.src0).count() == kSlots * AccessPattern(in.dst).count(),
            TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  check_scales(c, in.dst);
}

void run_quantize_mx(EngineUnit& unit, const Operation& operation) {
  quantize_mx(unit, operation.instruction.elementwise);
}

// One x4 column per cycle.
std::uint64_t quantize_mx_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  return ceil_div(source_elements(operation), kSlots);
}

void check_dequantize_mx(const CheckInput& input) {
  const ElementwiseChecker c(input);
  c.no_extension();
  const Elementwise& in = c.in();
  check_common(c, 0);
  const bool fp4 = in.src0_dtype == TERN_DTYPE_E2M1_X4;
  c.require(numerics::is_fp8_x4(numerics::DType{in.src0_dtype}) || fp4, TERN_ERROR_BAD_DTYPE,
            offsetof(Elementwise, src0_dtype));
  const bool expands = in.dst_dtype == TERN_DTYPE_E4M3FN_X4 && fp4;
  c.require(expands || in.dst_dtype == TERN_DTYPE_BF16 || in.dst_dtype == TERN_DTYPE_FP32,
            TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, dst_dtype));
  check_operand(c, in.dst, offsetof(Elementwise, dst), in.dst_dtype);
  check_operand(c, in.src0, offsetof(Elementwise, src0), in.src0_dtype);
  const std::uint64_t columns = AccessPattern(in.src0).count();
  c.require(AccessPattern(in.dst).count() == (expands ? 1 : kSlots) * columns,
            TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  if (!expands) return check_scales(c, in.src0);
  c.require(in.src1_dtype == TERN_DTYPE_NONE, TERN_ERROR_BAD_DTYPE,
            offsetof(Elementwise, src1_dtype));
  c.zeros(offsetof(Elementwise, src1), offsetof(Elementwise, src1) + sizeof in.src1);
}

void run_dequantize_mx(EngineUnit& unit, const Operation& operation) {
  dequantize_mx(unit, operation.instruction.elementwise);
}

// The source's elements are x4 columns.
constexpr InstructionRow kRows[] = {
    {TERN_OPCODE_QUANTIZE_MX, check_quantize_mx, describe_elementwise, run_quantize_mx,
     quantize_mx_cycles},
    {TERN_OPCODE_DEQUANTIZE_MX, check_dequantize_mx, describe_elementwise, run_dequantize_mx,
     source_cycles},
};

}  // namespace

InstructionRows mx_instructions() {
  return kRows;
}

}  // namespace tern
