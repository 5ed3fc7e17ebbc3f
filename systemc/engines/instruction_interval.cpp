// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/instruction_interval.h"

#include <algorithm>

#include "sw/spec/generated/formats.h"
#include "systemc/engines/access_pattern.h"

namespace tern {

namespace {

bool is_16_bit_float(unsigned dtype) {
  return dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16;
}

unsigned ceil_div(std::uint64_t value, unsigned divisor) {
  return static_cast<unsigned>((value + divisor - 1) / divisor);
}

// tensor_copy and tensor_scalar on the Vector engine: elements per cycle and partition.
unsigned copy_mode(const tern_instr_elementwise_t& in) {
  const AccessPattern dst(in.dst), src(in.src0);
  if (!is_16_bit_float(in.dst_dtype) || !is_16_bit_float(in.src0_dtype)) return 1;
  const bool contiguous = dst.inner_contiguous() && src.inner_contiguous();
  if (!dst.psum && !src.psum) return contiguous ? 4 : 2;
  return contiguous && dst.psum != src.psum ? 2 : 1;
}

// Whether tensor_tensor runs at one element per cycle instead of one every two.
bool tensor_tensor_is_fast(const tern_instr_elementwise_t& in) {
  const bool psum0 = AccessPattern(in.src0).psum, psum1 = AccessPattern(in.src1).psum;
  if (psum0 != psum1) return true;
  return !psum0 && is_16_bit_float(in.dst_dtype) && is_16_bit_float(in.src0_dtype) &&
         is_16_bit_float(in.src1_dtype);
}

unsigned elementwise_cycles(const tern_instr_elementwise_t& in, unsigned queue) {
  const std::uint64_t n = AccessPattern(in.src0).count();
  switch (in.header.opcode) {
    case TERN_OPCODE_TENSOR_COPY:
    case TERN_OPCODE_TENSOR_SCALAR:
      return ceil_div(n, queue == TERN_QUEUE_VECTOR ? copy_mode(in) : 1);
    case TERN_OPCODE_TENSOR_TENSOR:
      return ceil_div(tensor_tensor_is_fast(in) ? n : 2 * n, 1);
    case TERN_OPCODE_TENSOR_REDUCE: {
      const bool fast = in.dst_dtype == TERN_DTYPE_BF16 && in.src0_dtype == TERN_DTYPE_BF16 &&
                        (in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_MAX);
      return ceil_div(n, fast ? 2 : 1);
    }
    case TERN_OPCODE_MEMSET: {
      const bool zero = in.imm0 == 0.0f;
      return ceil_div(AccessPattern(in.dst).count(), zero && is_16_bit_float(in.dst_dtype) ? 2 : 1);
    }
    case TERN_OPCODE_RECIPROCAL:
      return ceil_div(8 * n, 1);
    case TERN_OPCODE_QUANTIZE_MX:  // one x4 column per cycle
      return ceil_div(n, 4);
    default:  // activation; dequantize_mx, whose n are x4 columns
      return ceil_div(n, 1);
  }
}

}  // namespace

unsigned instruction_interval(const tern_instruction_t& instruction, unsigned queue,
                              unsigned min_interval) {
  const unsigned opcode = instruction.header.opcode;
  const bool elementwise = opcode >= TERN_OPCODE_ACTIVATION;
  return elementwise ? std::max(min_interval, elementwise_cycles(instruction.elementwise, queue))
                     : min_interval;
}

}  // namespace tern
