// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_check.h"

#include <cstddef>

#include "sw/spec/generated/formats.h"
#include "systemc/core/field_checker.h"
#include "systemc/core/instruction_info.h"
#include "systemc/core/mx_check.h"
#include "systemc/core/tensor_check.h"
#include "systemc/engines/access_pattern.h"
#include "systemc/numerics/dtype.h"

namespace tern {

namespace {

class Checker : public FieldChecker {
 public:
  using FieldChecker::FieldChecker;

  void header() const;
  void none() const { zeros_from(sizeof(tern_header_t)); }
  void dma_trigger() const;
  void elementwise() const;

 private:
  void operand(const tern_ap_t& ap, std::size_t byte, unsigned dtype, std::size_t dtype_byte) const;
  void column_operand() const;
  void unused_operand(std::size_t byte, unsigned dtype, std::size_t dtype_byte) const;
  void operators() const;
};

constexpr std::size_t kApBytes = sizeof(tern_ap_t);
using Elementwise = tern_instr_elementwise_t;

void Checker::header() const {
  const tern_header_t& header = in_.header;
  field(header.wait_cond <= TERN_WAIT_COND_LT, offsetof(tern_header_t, wait_cond));
  field(header.upd_op <= TERN_UPD_OP_WR_IMM, offsetof(tern_header_t, upd_op));
  require(header.upd_when != TERN_UPD_WHEN_READ, TERN_ERROR_NOT_MODELLED,
          offsetof(tern_header_t, upd_when));
  field(header.upd_when == TERN_UPD_WHEN_COMPLETE, offsetof(tern_header_t, upd_when));
}

void Checker::dma_trigger() const {
  field(in_.dma_trigger.ring < 16, offsetof(tern_instr_dma_trigger_t, ring));
  field(in_.dma_trigger.reserved == 0, offsetof(tern_instr_dma_trigger_t, reserved));
  zeros_from(offsetof(tern_instr_dma_trigger_t, pad));
}

void Checker::operand(const tern_ap_t& ap, std::size_t byte, unsigned dtype,
                      std::size_t dtype_byte) const {
  const auto type = numerics::dtype_from_code(dtype);
  require(type && numerics::is_compute_dtype(*type), TERN_ERROR_BAD_DTYPE, dtype_byte);
  const AccessPattern pattern_fields(ap);
  const std::size_t size = numerics::dtype_size(*type);
  require(pattern_fields.byte % size == 0, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
  pattern(ap, byte, size, in_.elementwise.partitions);
}

// src1 as one FP32 scalar per partition.
void Checker::column_operand() const {
  const Elementwise& in = in_.elementwise;
  const AccessPattern src1(in.src1);
  require(in.src1_dtype == TERN_DTYPE_FP32, TERN_ERROR_BAD_DTYPE,
          offsetof(Elementwise, src1_dtype));
  require(src1.count() == 1, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src1));
  operand(in.src1, offsetof(Elementwise, src1), in.src1_dtype, offsetof(Elementwise, src1_dtype));
}

void Checker::unused_operand(std::size_t byte, unsigned dtype, std::size_t dtype_byte) const {
  require(dtype == TERN_DTYPE_NONE, TERN_ERROR_BAD_DTYPE, dtype_byte);
  zeros(byte, byte + kApBytes);
}

void Checker::operators() const {
  const Elementwise& in = in_.elementwise;
  unsigned last0 = TERN_ALU_OP_BYPASS, last1 = TERN_ALU_OP_BYPASS;
  switch (in.header.opcode) {
    case TERN_OPCODE_ACTIVATION:
      last0 = TERN_ACT_FUNC_EXP;
      break;
    case TERN_OPCODE_TENSOR_TENSOR:
      last0 = TERN_ALU_OP_IS_LT;
      break;
    case TERN_OPCODE_TENSOR_SCALAR:
      last0 = last1 = TERN_ALU_OP_IS_LT;
      break;
    case TERN_OPCODE_TENSOR_REDUCE:
      field(in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_MAX || in.op0 == TERN_ALU_OP_MIN,
            offsetof(Elementwise, op0));
      field(in.op1 == TERN_ALU_OP_BYPASS || in.op1 == TERN_ALU_OP_SUBTRACT,
            offsetof(Elementwise, op1));
      return;
    default:
      break;
  }
  field(in.op0 <= last0, offsetof(Elementwise, op0));
  field(in.op1 <= last1, offsetof(Elementwise, op1));
}

void Checker::elementwise() const {
  const Elementwise& in = in_.elementwise;
  const unsigned opcode = in.header.opcode;
  field(in.reserved == 0, offsetof(Elementwise, reserved));
  field(in.partitions >= 1 && in.partitions <= 128, offsetof(Elementwise, partitions));
  operators();

  operand(in.dst, offsetof(Elementwise, dst), in.dst_dtype, offsetof(Elementwise, dst_dtype));
  // Other engines read PSUM in any format (a transpose leaves any there) and write whole words.
  require(!AccessPattern(in.dst).psum || in.dst_dtype == TERN_DTYPE_FP32, TERN_ERROR_BAD_DTYPE,
          offsetof(Elementwise, dst_dtype));
  if (opcode == TERN_OPCODE_MEMSET) {
    unused_operand(offsetof(Elementwise, src0), in.src0_dtype, offsetof(Elementwise, src0_dtype));
  } else {
    operand(in.src0, offsetof(Elementwise, src0), in.src0_dtype, offsetof(Elementwise, src0_dtype));
    const AccessPattern dst(in.dst), src(in.src0);
    const std::uint64_t results = opcode == TERN_OPCODE_TENSOR_REDUCE ? src.num1 : src.count();
    require(dst.count() == results, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, dst));
  }

  const bool column = opcode == TERN_OPCODE_ACTIVATION || opcode == TERN_OPCODE_TENSOR_SCALAR;
  if (opcode == TERN_OPCODE_TENSOR_TENSOR) {
    operand(in.src1, offsetof(Elementwise, src1), in.src1_dtype, offsetof(Elementwise, src1_dtype));
    require(AccessPattern(in.src1).count() == AccessPattern(in.src0).count(),
            TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Elementwise, src1));
  } else if (column && in.src1_dtype != TERN_DTYPE_NONE) {
    column_operand();
  } else {
    unused_operand(offsetof(Elementwise, src1), in.src1_dtype, offsetof(Elementwise, src1_dtype));
  }
}

}  // namespace

std::optional<InstructionFault> check_instruction(const tern_instruction_t& instruction,
                                                  unsigned queue, const CoreLimits& limits) {
  const unsigned opcode = instruction.header.opcode;
  if ((instruction_queues(opcode) >> queue & 1) == 0)
    return InstructionFault{TERN_ERROR_ILLEGAL_OPCODE, opcode};
  const Checker checker(instruction, limits);
  const TensorChecker tensor(instruction, limits);
  const MxChecker mx(instruction, limits);
  try {
    checker.header();
    switch (opcode) {
      case TERN_OPCODE_NOP:
      case TERN_OPCODE_HALT:
        checker.none();
        break;
      case TERN_OPCODE_DMA_TRIGGER:
        checker.dma_trigger();
        break;
      case TERN_OPCODE_LOAD_STATIONARY:
        tensor.load_stationary();
        break;
      case TERN_OPCODE_MULTIPLY_MOVING:
        tensor.multiply_moving();
        break;
      case TERN_OPCODE_TRANSPOSE:
        tensor.transpose();
        break;
      case TERN_OPCODE_QUANTIZE_MX:
        mx.quantize();
        break;
      case TERN_OPCODE_DEQUANTIZE_MX:
        mx.dequantize();
        break;
      case TERN_OPCODE_ACTIVATION:
      case TERN_OPCODE_TENSOR_COPY:
      case TERN_OPCODE_TENSOR_TENSOR:
      case TERN_OPCODE_TENSOR_SCALAR:
      case TERN_OPCODE_TENSOR_REDUCE:
      case TERN_OPCODE_MEMSET:
      case TERN_OPCODE_RECIPROCAL:
        // GpSimd has no element-wise unit yet, Scalar none for tensor_scalar.
        if (queue == TERN_QUEUE_GPSIMD ||
            (queue == TERN_QUEUE_SCALAR && opcode == TERN_OPCODE_TENSOR_SCALAR)) {
          return InstructionFault{TERN_ERROR_NOT_MODELLED, opcode};
        }
        checker.elementwise();
        break;
      default:
        return InstructionFault{TERN_ERROR_NOT_MODELLED, opcode};
    }
  } catch (const InstructionFault& fault) {
    return fault;
  }
  return std::nullopt;
}

}  // namespace tern
