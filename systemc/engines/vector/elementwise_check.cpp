// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/elementwise_check.h"

#include <cmath>
#include <cstddef>

#include "sw/numerics/dtype.h"
#include "sw/numerics/stochastic.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/vector/alu_rows.h"
#include "systemc/engines/vector/special/gather.h"

namespace tern {

namespace {

using Elementwise = tern_instr_elementwise_t;
using Extend = tern_instr_extend_t;

bool is_reduce_op(unsigned op) {
  return op == TERN_ALU_OP_ADD || op == TERN_ALU_OP_MAX || op == TERN_ALU_OP_MIN ||
         op == TERN_ALU_OP_ABS_MAX || op == TERN_ALU_OP_ABS_MIN;
}

}  // namespace

// An FP32 column of the instruction's partitions.
void ElementwiseChecker::column(std::uint32_t address, std::size_t byte) const {
  const tern_ap_t ap{address, 1, 1, 1, 0};
  const AccessPattern fields(ap);
  require(!fields.psum || queue() != TERN_QUEUE_GPSIMD, TERN_ERROR_FORBIDDEN_MEMORY, byte);
  require(fields.byte % 4 == 0, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  pattern(fields, byte, 4, in().partitions);
}

void ElementwiseChecker::flag_column(bool used, std::uint32_t address, std::size_t byte) const {
  if (used) {
    column(address, kExtensionByte + byte);
  } else {
    extension_zeros(byte, byte + sizeof address);
  }
}

void ElementwiseChecker::reduction(unsigned parts) const {
  const Extend& extension = this->extension();
  const std::size_t command_byte = kExtensionByte + offsetof(Extend, reduce_cmd);
  const bool reduces = (parts & kPartReduce) != 0, carries = (parts & kPartCarry) != 0;
  const unsigned command = extension.reduce_cmd;
  field(command <= (reduces || carries ? TERN_REDUCE_CMD_LOAD_REDUCE : TERN_REDUCE_CMD_IDLE),
        command_byte);
  field(!carries || command != TERN_REDUCE_CMD_RESET, command_byte);
  const bool has_op = reduces && command != TERN_REDUCE_CMD_IDLE;
  field(has_op ? is_reduce_op(extension.reduce_op) : extension.reduce_op == 0,
        kExtensionByte + offsetof(Extend, reduce_op));
  flag_column((extension.flags & kExtendReduce) != 0 || command == TERN_REDUCE_CMD_LOAD_REDUCE,
              extension.reduce, offsetof(Extend, reduce));
}

void ElementwiseChecker::begin(unsigned parts) const {
  const Elementwise& in = this->in();
  field(in.reserved == 0, offsetof(Elementwise, reserved));
  field(in.partitions >= 1 && in.partitions <= TERN_CORE_SBUF_COUNT,
        offsetof(Elementwise, partitions));

  const Extend& extension = this->extension();
  if ((parts & kPartDstOuter) == 0) {
    extension_zeros(offsetof(Extend, dst_outer), offsetof(Extend, src0_outer));
  }
  if ((parts & kPartSrc0Outer) == 0) {
    extension_zeros(offsetof(Extend, src0_outer), offsetof(Extend, src1_outer));
  }
  if ((parts & kPartSrc1Outer) == 0) {
    extension_zeros(offsetof(Extend, src1_outer), offsetof(Extend, scalar0));
  }
  unsigned flags = 0;
  if ((parts & kPartScalar0) != 0) flags |= kExtendScalar0;
  if ((parts & kPartScalar1) != 0) flags |= kExtendScalar1;
  if ((parts & (kPartReduce | kPartCarry)) != 0) flags |= kExtendReduce;
  if ((parts & kPartReverse0) != 0) flags |= kExtendReverse0;
  if ((parts & kPartReverse1) != 0) flags |= kExtendReverse1;
  if ((parts & kPartStochastic) != 0) flags |= kExtendStochastic;
  field((extension.flags & ~flags) == 0, kExtensionByte + offsetof(Extend, flags));
  const bool stochastic = (extension.flags & kExtendStochastic) != 0;
  const auto dst_type = static_cast<numerics::DType>(in.dst_dtype);
  require(!stochastic || numerics::rounds_stochastically(dst_type), TERN_ERROR_BAD_DTYPE,
          offsetof(Elementwise, dst_dtype));
  flag_column((extension.flags & kExtendScalar0) != 0, extension.scalar0,
              offsetof(Extend, scalar0));
  flag_column((extension.flags & kExtendScalar1) != 0, extension.scalar1,
              offsetof(Extend, scalar1));
  reduction(parts);
  if ((parts & kPartImm2) == 0) extension_zeros(offsetof(Extend, imm2), offsetof(Extend, flags));
}

AccessPattern ElementwiseChecker::operand(const tern_ap_t& ap, std::size_t byte,
                                          const tern_outer_t& outer, std::size_t outer_byte,
                                          unsigned dtype, std::size_t dtype_byte,
                                          unsigned partitions) const {
  require(dtype != TERN_DTYPE_E4M3FN || limits().tensor.e4m3fn, TERN_ERROR_NOT_MODELLED,
          dtype_byte);
  return other_operand(ap, outer, byte, outer_byte, dtype, dtype_byte, partitions);
}

AccessPattern ElementwiseChecker::dst() const {
  return dst_of(in().partitions);
}

AccessPattern ElementwiseChecker::dst_of(unsigned partitions) const {
  const Elementwise& in = this->in();
  const AccessPattern whole = operand(in.dst, offsetof(Elementwise, dst), extension().dst_outer,
                                      offsetof(Extend, dst_outer), in.dst_dtype,
                                      offsetof(Elementwise, dst_dtype), partitions);
  // Other engines read PSUM in any format (a transpose may leave any) and write whole words.
  const auto type = static_cast<numerics::DType>(in.dst_dtype);
  require(!whole.psum || numerics::dtype_size(type) == 4, TERN_ERROR_BAD_DTYPE,
          offsetof(Elementwise, dst_dtype));
  return whole;
}

AccessPattern ElementwiseChecker::src0() const {
  const Elementwise& in = this->in();
  return operand(in.src0, offsetof(Elementwise, src0), extension().src0_outer,
                 offsetof(Extend, src0_outer), in.src0_dtype, offsetof(Elementwise, src0_dtype),
                 in.partitions);
}

AccessPattern ElementwiseChecker::src1() const {
  const Elementwise& in = this->in();
  return operand(in.src1, offsetof(Elementwise, src1), extension().src1_outer,
                 offsetof(Extend, src1_outer), in.src1_dtype, offsetof(Elementwise, src1_dtype),
                 in.partitions);
}

void ElementwiseChecker::unused_operand(std::size_t byte, unsigned dtype,
                                        std::size_t dtype_byte) const {
  require(dtype == TERN_DTYPE_NONE, TERN_ERROR_BAD_DTYPE, dtype_byte);
  zeros(byte, byte + sizeof(tern_ap_t));
}

void ElementwiseChecker::no_src0() const {
  unused_operand(offsetof(Elementwise, src0), in().src0_dtype, offsetof(Elementwise, src0_dtype));
}

void ElementwiseChecker::no_src1() const {
  unused_operand(offsetof(Elementwise, src1), in().src1_dtype, offsetof(Elementwise, src1_dtype));
}

void ElementwiseChecker::src1_column(unsigned flag) const {
  const Elementwise& in = this->in();
  if (in.src1_dtype == TERN_DTYPE_NONE) return no_src1();
  field((extension().flags & flag) == 0, kExtensionByte + offsetof(Extend, flags));
  require(in.src1_dtype == TERN_DTYPE_FP32, TERN_ERROR_BAD_DTYPE,
          offsetof(Elementwise, src1_dtype));
  require(AccessPattern(in.src1).count() == 1, TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Elementwise, src1));
  column(in.src1.addr, offsetof(Elementwise, src1));
}

void ElementwiseChecker::results(std::uint64_t count) const {
  require(dst().count() == count, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
}

void ElementwiseChecker::two_operand(unsigned op, std::size_t byte) const {
  field(alu_is_float(op) && !alu_is_unary(op), byte);
  with_scalar(op, byte);
}

void ElementwiseChecker::with_scalar(unsigned op, std::size_t byte) const {
  field(alu_is_float(op), byte);
  field(op != TERN_ALU_OP_POWER || queue() == TERN_QUEUE_GPSIMD, byte);
}

void ElementwiseChecker::bitwise() const {
  const Elementwise& in = this->in();
  const auto size = [](unsigned dtype) {
    return numerics::dtype_size(static_cast<numerics::DType>(dtype));
  };
  field(queue() == TERN_QUEUE_VECTOR, offsetof(Elementwise, op0));
  require(size(in.src0_dtype) == size(in.dst_dtype), TERN_ERROR_BAD_DTYPE,
          offsetof(Elementwise, src0_dtype));
}

void ElementwiseChecker::src1_as_src0() const {
  require(src1().count() == src0().count(), TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Elementwise, src1));
}

// A single operand has no order.
void ElementwiseChecker::reverse_needs_two(unsigned flag, unsigned op) const {
  field((extension().flags & flag) == 0 || (!alu_is_unary(op) && op != TERN_ALU_OP_BYPASS),
        kExtensionByte + offsetof(Extend, flags));
}

void ElementwiseChecker::no_dst() const {
  dst_type(in().dst_dtype == TERN_DTYPE_NONE);
  zeros(offsetof(Elementwise, dst), offsetof(Elementwise, src0));
}

void ElementwiseChecker::dst_type(bool good) const {
  require(good, TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, dst_dtype));
}

void ElementwiseChecker::src0_type(bool good) const {
  require(good, TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src0_dtype));
}

void ElementwiseChecker::src1_type(bool good) const {
  require(good, TERN_ERROR_BAD_DTYPE, offsetof(Elementwise, src1_dtype));
}

void ElementwiseChecker::no_operators() const {
  zeros(offsetof(Elementwise, op0), offsetof(Elementwise, dst_dtype));
}

void ElementwiseChecker::no_imm0() const {
  zeros(offsetof(Elementwise, imm0), offsetof(Elementwise, imm1));
}

void ElementwiseChecker::no_imm1() const {
  zeros_from(offsetof(Elementwise, imm1));
}

void ElementwiseChecker::integer(float value, double low, double high, std::size_t byte) const {
  field(value >= low && value <= high && std::trunc(value) == value, byte);
}

void ElementwiseChecker::whole_cores() const {
  field(in().partitions % kCorePartitions == 0, offsetof(Elementwise, partitions));
}

void ElementwiseChecker::together(const AccessPattern& a, const AccessPattern& b,
                                  std::size_t byte) const {
  require(a.partition == b.partition, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
}

AccessPattern ElementwiseChecker::other_operand(const tern_ap_t& ap, const tern_outer_t& outer,
                                                std::size_t byte, std::size_t outer_byte,
                                                unsigned dtype, std::size_t dtype_byte,
                                                unsigned partitions) const {
  const auto type = numerics::dtype_from_code(dtype);
  require(type && numerics::is_compute_dtype(*type), TERN_ERROR_BAD_DTYPE, dtype_byte);
  const AccessPattern inner(ap), whole(ap, outer);
  const std::size_t size = numerics::dtype_size(*type);
  require(!inner.psum || queue() != TERN_QUEUE_GPSIMD, TERN_ERROR_FORBIDDEN_MEMORY, byte);
  require(inner.byte % size == 0, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  pattern(inner, byte, size, partitions);
  pattern(whole, kExtensionByte + outer_byte, size, partitions);
  return whole;
}

}  // namespace tern
