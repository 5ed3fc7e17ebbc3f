// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/instruction_interval.h"

#include <algorithm>

#include "sw/spec/generated/formats.h"
#include "systemc/engines/access_pattern.h"
#include "systemc/engines/extension.h"

namespace tern {

namespace {

bool is_16_bit_float(unsigned dtype) {
  return dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16;
}

std::uint64_t ceil_div(std::uint64_t value, unsigned divisor) {
  return (value + divisor - 1) / divisor;
}

struct Patterns {
  explicit Patterns(const Operation& operation)
      : in(operation.instruction.elementwise),
        dst(in.dst, operation.extension.dst_outer),
        src0(in.src0, operation.extension.src0_outer),
        src1(in.src1, operation.extension.src1_outer) {}
  const tern_instr_elementwise_t& in;
  AccessPattern dst, src0, src1;
};

// tensor_copy and tensor_scalar on the Vector engine: elements per cycle and partition.
unsigned copy_mode(const Patterns& p) {
  if (!is_16_bit_float(p.in.dst_dtype) || !is_16_bit_float(p.in.src0_dtype)) return 1;
  const bool contiguous = p.dst.inner_contiguous() && p.src0.inner_contiguous();
  if (!p.dst.psum && !p.src0.psum) return contiguous ? 4 : 2;
  return contiguous && p.dst.psum != p.src0.psum ? 2 : 1;
}

// Whether tensor_tensor runs at one element per cycle instead of one every two.
bool tensor_tensor_is_fast(const Patterns& p) {
  if (p.src0.psum != p.src1.psum) return true;
  return !p.src0.psum && is_16_bit_float(p.in.dst_dtype) && is_16_bit_float(p.in.src0_dtype) &&
         is_16_bit_float(p.in.src1_dtype);
}

// Both tiles BF16, subtract then multiply, an even number of elements.
bool scalar_tensor_tensor_is_fast(const Patterns& p) {
  return p.in.src0_dtype == TERN_DTYPE_BF16 && p.in.src1_dtype == TERN_DTYPE_BF16 &&
         p.in.op0 == TERN_ALU_OP_SUBTRACT && p.in.op1 == TERN_ALU_OP_MULTIPLY &&
         p.src0.count() % 2 == 0;
}

std::uint64_t elementwise_cycles(const Operation& operation, unsigned queue,
                                 unsigned exp_per_cycle) {
  const Patterns p(operation);
  const tern_instr_elementwise_t& in = p.in;
  const std::uint64_t n = p.src0.count();
  switch (in.header.opcode) {
    case TERN_OPCODE_TENSOR_COPY:
    case TERN_OPCODE_TENSOR_SCALAR:
      return ceil_div(n, queue == TERN_QUEUE_VECTOR ? copy_mode(p) : 1);
    case TERN_OPCODE_TENSOR_TENSOR:
      return tensor_tensor_is_fast(p) ? n : 2 * n;
    case TERN_OPCODE_SCALAR_TENSOR_TENSOR:
      return scalar_tensor_tensor_is_fast(p) ? n : 2 * n;
    case TERN_OPCODE_TENSOR_REDUCE: {
      const bool fast = in.dst_dtype == TERN_DTYPE_BF16 && in.src0_dtype == TERN_DTYPE_BF16 &&
                        (in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_MAX);
      return ceil_div(n, fast ? 2 : 1);
    }
    case TERN_OPCODE_MEMSET: {
      const bool zero = in.imm0 == 0.0f && (operation.extension.flags & kExtendScalar0) == 0;
      return ceil_div(p.dst.count(), zero && is_16_bit_float(in.dst_dtype) ? 2 : 1);
    }
    case TERN_OPCODE_RECIPROCAL:
      return 8 * n;
    case TERN_OPCODE_EXPONENTIAL:
      return ceil_div(n, exp_per_cycle);
    case TERN_OPCODE_QUANTIZE_MX:  // one x4 column per cycle
      return ceil_div(n, 4);
    default:  // activation, activate2; dequantize_mx, whose n are x4 columns
      return n;
  }
}

}  // namespace

unsigned instruction_interval(const Operation& operation, unsigned queue, unsigned min_interval,
                              unsigned exp_per_cycle) {
  if (operation.opcode() < TERN_OPCODE_ACTIVATION) return min_interval;
  const std::uint64_t cycles =
      std::max<std::uint64_t>(min_interval, elementwise_cycles(operation, queue, exp_per_cycle));
  // Reading the accumulators out is one more instruction of the least interval.
  const bool reads = (operation.extension.flags & kExtendReduce) != 0;
  return static_cast<unsigned>(cycles) + (reads ? min_interval : 0);
}

}  // namespace tern
