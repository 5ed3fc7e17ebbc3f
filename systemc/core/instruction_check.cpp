// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_check.h"

#include <cstddef>

#include "sw/spec/generated/formats.h"
#include "systemc/core/instruction_info.h"
#include "systemc/engines/access_pattern.h"
#include "systemc/numerics/dtype.h"

namespace tern {

namespace {

// Throws the fault it finds; check_instruction() turns that into a value.
class Checker {
 public:
  Checker(const tern_instruction_t& instruction, const MemoryLimits& limits)
      : in_(instruction), limits_(limits) {}

  void header() const;
  void none() const { zeros_from(sizeof(tern_header_t)); }
  void dma_trigger() const;
  void load_stationary() const;
  void multiply_moving() const;
  void elementwise() const;

 private:
  [[noreturn]] static void fail(unsigned code, std::size_t byte) {
    throw InstructionFault{code, static_cast<std::uint32_t>(byte)};
  }
  static void require(bool condition, unsigned code, std::size_t byte) {
    if (!condition) fail(code, byte);
  }
  static void field(bool condition, std::size_t byte) {
    require(condition, TERN_ERROR_ILLEGAL_FIELD, byte);
  }

  void zeros(std::size_t from, std::size_t to) const {
    for (std::size_t byte = from; byte < to; ++byte) field(in_.bytes[byte] == 0, byte);
  }
  void zeros_from(std::size_t from) const { zeros(from, sizeof in_.bytes); }

  void pattern(const tern_ap_t& raw, std::size_t byte, std::size_t element,
               unsigned partitions) const;
  void tensor_dtype(unsigned dtype, std::size_t byte) const {
    require(dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16, TERN_ERROR_BAD_DTYPE, byte);
  }
  void operand(const tern_ap_t& ap, std::size_t byte, unsigned dtype, std::size_t dtype_byte) const;
  void column_operand() const;
  void unused_operand(std::size_t byte, unsigned dtype, std::size_t dtype_byte) const;
  void operators() const;

  const tern_instruction_t& in_;
  const MemoryLimits& limits_;
};

constexpr std::size_t kApBytes = sizeof(tern_ap_t);
using Load = tern_instr_load_stationary_t;
using Multiply = tern_instr_multiply_moving_t;
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

// Elements of `element` bytes on `partitions` partitions, all inside their memory.
void Checker::pattern(const tern_ap_t& raw, std::size_t byte, std::size_t element,
                      unsigned partitions) const {
  const AccessPattern ap(raw);
  const std::uint64_t bytes = ap.psum ? limits_.psum_bytes : limits_.sbuf_bytes;
  const auto size = static_cast<std::int64_t>(element);
  bool good = ap.num0 > 0 && ap.num1 > 0 && ap.count() <= bytes;
  good = good && start_partition_allowed(ap.partition, partitions);
  good = good && ap.byte + size * ap.lowest() >= 0;
  good = good && ap.byte + size * (ap.highest() + 1) <= static_cast<std::int64_t>(bytes);
  require(good, TERN_ERROR_BAD_ACCESS_PATTERN, byte);
}

void Checker::load_stationary() const {
  const Load& in = in_.load_stationary;
  const AccessPattern src(in.src);
  zeros_from(offsetof(Load, pad));
  field(in.rows >= 1 && in.rows <= 128, offsetof(Load, rows));
  field(in.cols >= 1 && in.cols <= 128, offsetof(Load, cols));
  tensor_dtype(in.dtype, offsetof(Load, dtype));
  require(!src.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Load, src));
  require(src.num0 == in.cols && src.contiguous() && src.num1 == 1, TERN_ERROR_BAD_ACCESS_PATTERN,
          offsetof(Load, src));
  pattern(in.src, offsetof(Load, src), 2, in.rows);
}

void Checker::multiply_moving() const {
  const Multiply& in = in_.multiply_moving;
  const AccessPattern src(in.src), dst(in.dst);
  zeros_from(offsetof(Multiply, pad));
  field(in.rows >= 1 && in.rows <= 128, offsetof(Multiply, rows));
  field(in.cols >= 1 && in.cols <= 128, offsetof(Multiply, cols));
  field(in.accumulate <= 1, offsetof(Multiply, accumulate));
  tensor_dtype(in.dtype, offsetof(Multiply, dtype));
  require(!src.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Multiply, src));
  require(dst.psum, TERN_ERROR_FORBIDDEN_MEMORY, offsetof(Multiply, dst));
  pattern(in.src, offsetof(Multiply, src), 2, in.rows);
  pattern(in.dst, offsetof(Multiply, dst), 4, in.cols);
  const std::uint64_t bank = limits_.psum_bank_bytes;
  const bool good = dst.partition == 0 && dst.byte % 4 == 0 && dst.contiguous() &&
                    dst.count() == src.count() && dst.byte % bank + 4 * dst.count() <= bank;
  require(good, TERN_ERROR_BAD_ACCESS_PATTERN, offsetof(Multiply, dst));
}

void Checker::operand(const tern_ap_t& ap, std::size_t byte, unsigned dtype,
                      std::size_t dtype_byte) const {
  const auto type = numerics::dtype_from_code(dtype);
  require(type && numerics::is_compute_dtype(*type), TERN_ERROR_BAD_DTYPE, dtype_byte);
  const AccessPattern pattern_fields(ap);
  require(!pattern_fields.psum || dtype == TERN_DTYPE_FP32, TERN_ERROR_BAD_DTYPE, dtype_byte);
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
                                                  unsigned queue, const MemoryLimits& limits) {
  const unsigned opcode = instruction.header.opcode;
  if ((instruction_queues(opcode) >> queue & 1) == 0)
    return InstructionFault{TERN_ERROR_ILLEGAL_OPCODE, opcode};
  const Checker checker(instruction, limits);
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
        checker.load_stationary();
        break;
      case TERN_OPCODE_MULTIPLY_MOVING:
        checker.multiply_moving();
        break;
      default:
        checker.elementwise();
    }
  } catch (const InstructionFault& fault) {
    return fault;
  }
  return std::nullopt;
}

}  // namespace tern
