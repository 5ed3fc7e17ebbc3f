// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/mx_check.h"

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/formats.h"

namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;

constexpr unsigned kSlots = 4;
constexpr unsigned kPartitionMask = 0x7Fu << 24;

bool is_fp8_x4(unsigned dtype) {
  return dtype == TERN_DTYPE_E4M3FN_X4 || dtype == TERN_DTYPE_E5M2_X4;
}

}  // namespace

void MxChecker::common(unsigned last_rule) const {
  const Elementwise& in = in_.elementwise;
  require(limits_.tensor.mx, TERN_ERROR_NOT_MODELLED, offsetof(tern_header_t, opcode));
  field(in.reserved == 0, offsetof(Elementwise, reserved));
  field(in.partitions >= TERN_LIMIT_QUADRANT && in.partitions <= TERN_CORE_SBUF_COUNT &&
            in.partitions % TERN_LIMIT_QUADRANT == 0,
        offsetof(Elementwise, partitions));
  field(in.op0 <= last_rule, offsetof(Elementwise, op0));
  field(in.op1 == TERN_ALU_OP_BYPASS, offsetof(Elementwise, op1));
  zeros(offsetof(Elementwise, imm0), offsetof(Elementwise, imm1) + sizeof in.imm1);
}

void MxChecker::operand(const tern_ap_t& ap, std::size_t byte, unsigned dtype) const {
  const AccessPattern fields(ap);
  const std::size_t size = numerics::dtype_size(static_cast<numerics::DType>(dtype));
  require(!fields.psum, TERN_ERROR_FORBIDDEN_MEMORY, byte);
  require(fields.byte % size == 0, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  pattern(ap, byte, size, in_.elementwise.partitions);
}

// One byte per x4 column, in each quadrant of the x4 operand at the same place.
void MxChecker::scales(const tern_ap_t& x4) const {
  const Elementwise& in = in_.elementwise;
  const std::size_t byte = offsetof(Elementwise, src1);
  require(in.src1_dtype == TERN_DTYPE_E8M0, TERN_ERROR_BAD_DTYPE,
          offsetof(Elementwise, src1_dtype));
  const AccessPattern fields(in.src1), elements(x4);
  const unsigned offset = fields.partition - elements.partition;
  require(offset % 4 == 0 && offset <= 12, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  tern_ap_t quadrants = in.src1;  // the rule of start partitions is the operand's
  quadrants.addr = (quadrants.addr & ~kPartitionMask) | (x4.addr & kPartitionMask);
  operand(quadrants, byte, TERN_DTYPE_E8M0);
  require(fields.count() == elements.count(), TERN_ERROR_BAD_ACCESS_PATTERN, byte);
}

void MxChecker::quantize() const {
  const Elementwise& in = in_.elementwise;
  common(TERN_MX_RULE_OCP);
  require(is_fp8_x4(in.dst_dtype), TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, dst_dtype));
  require(in.src0_dtype == TERN_DTYPE_BF16 || in.src0_dtype == TERN_DTYPE_FP16,
          TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src0_dtype));
  operand(in.dst, offsetof(Elementwise, dst), in.dst_dtype);
  operand(in.src0, offsetof(Elementwise, src0), in.src0_dtype);
  require(AccessPattern(in.src0).count() == kSlots * AccessPattern(in.dst).count(),
          TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  scales(in.dst);
}

void MxChecker::dequantize() const {
  const Elementwise& in = in_.elementwise;
  common(0);
  const bool fp4 = in.src0_dtype == TERN_DTYPE_E2M1_X4;
  require(is_fp8_x4(in.src0_dtype) || fp4, TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src0_dtype));
  const bool expands = in.dst_dtype == TERN_DTYPE_E4M3FN_X4 && fp4;
  require(expands || in.dst_dtype == TERN_DTYPE_BF16 || in.dst_dtype == TERN_DTYPE_FP32,
          TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, dst_dtype));
  operand(in.dst, offsetof(Elementwise, dst), in.dst_dtype);
  operand(in.src0, offsetof(Elementwise, src0), in.src0_dtype);
  const std::uint64_t columns = AccessPattern(in.src0).count();
  require(AccessPattern(in.dst).count() == (expands ? 1 : kSlots) * columns,
          TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  if (!expands) return scales(in.src0);
  require(in.src1_dtype == TERN_DTYPE_NONE, TERN_ERROR_BAD_DTYPE,
          offsetof(Elementwise, src1_dtype));
  zeros(offsetof(Elementwise, src1), offsetof(Elementwise, src1) + sizeof in.src1);
}

}  // namespace tern
