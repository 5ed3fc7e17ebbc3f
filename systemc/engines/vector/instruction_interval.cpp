// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/instruction_interval.h"

#include <algorithm>
#include <cstdlib>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/vector/special_interval.h"

namespace tern {

namespace {

constexpr std::uint64_t kDynamicCopy = 600;  // tensor_copy with an address out of a register
constexpr std::int64_t kFastStepBytes = 16;  // beyond: half the bandwidth

struct Patterns {
  explicit Patterns(const Operation& operation)
      : in(operation.instruction.elementwise),
        dst(in.dst, operation.extension.dst_outer),
        src0(in.src0, operation.extension.src0_outer),
        src1(in.src1, operation.extension.src1_outer),
        accumulates(operation.extension.reduce_cmd != TERN_REDUCE_CMD_IDLE ||
                    (operation.extension.flags & kExtendReduce) != 0) {}
  const tern_instr_elementwise_t& in;
  AccessPattern dst, src0, src1;
  bool accumulates;
};

bool is_16_bit_float(unsigned dtype) {
  return dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16;
}

bool is_16_bit(unsigned dtype) {
  return numerics::dtype_size(static_cast<numerics::DType>(dtype)) == 2;
}

std::uint64_t ceil_div(std::uint64_t value, unsigned divisor) {
  return (value + divisor - 1) / divisor;
}

// tensor_copy and tensor_scalar on the Vector engine: elements per cycle and partition.
// tensor_scalar_reduce has no performance mode.
unsigned copy_mode(const Patterns& p) {
  if (p.accumulates) return 1;
  if (!is_16_bit_float(p.in.dst_dtype) || !is_16_bit_float(p.in.src0_dtype)) return 1;
  const bool contiguous = p.dst.inner_contiguous() && p.src0.inner_contiguous();
  if (!p.dst.psum && !p.src0.psum) return contiguous ? 4 : 2;
  return contiguous && p.dst.psum != p.src0.psum ? 2 : 1;
}

bool is_16_bit_tensor_tensor(const Patterns& p) {
  return !p.src0.psum && !p.src1.psum && is_16_bit_float(p.in.dst_dtype) &&
         is_16_bit_float(p.in.src0_dtype) && is_16_bit_float(p.in.src1_dtype);
}

// Both tiles BF16, subtract then multiply, an even number of elements.
bool scalar_tensor_tensor_is_fast(const Patterns& p) {
  return p.in.src0_dtype == TERN_DTYPE_BF16 && p.in.src1_dtype == TERN_DTYPE_BF16 &&
         p.in.op0 == TERN_ALU_OP_SUBTRACT && p.in.op1 == TERN_ALU_OP_MULTIPLY &&
         p.src0.count() % 2 == 0;
}

std::uint64_t copy_cycles(const Patterns& p, unsigned queue, const IntervalRules& rules) {
  unsigned rate = 1;
  if (queue == TERN_QUEUE_VECTOR && rules.shared_bus) rate = copy_mode(p);
  if (queue == TERN_QUEUE_SCALAR && rules.scalar_double_rate && is_16_bit_float(p.in.dst_dtype) &&
      is_16_bit_float(p.in.src0_dtype)) {
    rate = 2;
  }
  return ceil_div(p.src0.count(), rate);
}

// Two tiles share one way unless one is in PSUM, the other in SBUF.
std::uint64_t two_tile_cycles(const Patterns& p, bool fast) {
  const std::uint64_t n = p.src0.count();
  return fast || p.src0.psum != p.src1.psum ? n : 2 * n;
}

std::uint64_t elementwise_cycles(const Operation& operation, unsigned queue,
                                 const IntervalRules& rules) {
  const Patterns p(operation);
  const tern_instr_elementwise_t& in = p.in;
  const std::uint64_t n = p.src0.count();
  switch (in.header.opcode) {
    case TERN_OPCODE_TENSOR_COPY:
      return std::max(copy_cycles(p, queue, rules), operation.dynamic_address ? kDynamicCopy : 0);
    case TERN_OPCODE_TENSOR_SCALAR:
      return copy_cycles(p, queue, rules);
    case TERN_OPCODE_TENSOR_TENSOR:
      return two_tile_cycles(
          p, queue == TERN_QUEUE_VECTOR && rules.shared_bus && is_16_bit_tensor_tensor(p));
    case TERN_OPCODE_TENSOR_COPY_PREDICATED:
    case TERN_OPCODE_SELECT_REDUCE:
      return two_tile_cycles(p, false);
    case TERN_OPCODE_SCALAR_TENSOR_TENSOR:
      return scalar_tensor_tensor_is_fast(p) ? n : 2 * n;
    case TERN_OPCODE_TENSOR_TENSOR_SCAN:
      return 2 * n;
    case TERN_OPCODE_TENSOR_REDUCE: {
      const bool fast = in.dst_dtype == TERN_DTYPE_BF16 && in.src0_dtype == TERN_DTYPE_BF16 &&
                        (in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_MAX);
      return ceil_div(n, fast ? 2 : 1);
    }
    case TERN_OPCODE_MEMSET: {
      const bool zero = queue == TERN_QUEUE_VECTOR && in.imm0 == 0.0f &&
                        (operation.extension.flags & kExtendScalar0) == 0;
      return ceil_div(p.dst.count(), zero && is_16_bit(in.dst_dtype) ? 2 : 1);
    }
    case TERN_OPCODE_RECIPROCAL:
      return 8 * n;
    case TERN_OPCODE_EXPONENTIAL:
      return ceil_div(n, rules.exp_per_cycle);
    case TERN_OPCODE_QUANTIZE_MX:  // one x4 column per cycle
      return ceil_div(n, 4);
    default:  // activation, activate2, range_select, tensor_scalar_cumulative;
              // dequantize_mx, whose n are x4 columns
      return n;
  }
}

// Cycles in which the memories deliver or take an operand: two per element if neighbours lie more
// than 16 bytes apart.
std::uint64_t access_cycles(const AccessPattern& ap, unsigned dtype) {
  const auto size =
      static_cast<std::int64_t>(numerics::dtype_size(static_cast<numerics::DType>(dtype)));
  for (unsigned d = 0; d < 4; ++d) {
    if (ap.num(d) == 1) continue;
    return std::abs(ap.step(d)) * size > kFastStepBytes ? 2 * ap.count() : 0;
  }
  return 0;
}

std::uint64_t strided_cycles(const Operation& operation) {
  if (!has_access_patterns(operation.opcode())) return 0;
  const Patterns p(operation);
  return std::max({access_cycles(p.dst, p.in.dst_dtype), access_cycles(p.src0, p.in.src0_dtype),
                   access_cycles(p.src1, p.in.src1_dtype)});
}

}  // namespace

bool has_access_patterns(unsigned opcode) {
  return opcode >= TERN_OPCODE_ACTIVATION && opcode != TERN_OPCODE_STREAM_SHUFFLE &&
         opcode != TERN_OPCODE_IOTA && opcode != TERN_OPCODE_AFFINE_SELECT &&
         opcode < TERN_OPCODE_CUSTOM_OP;
}

unsigned performance_mode(const Operation& operation, unsigned queue) {
  if (queue != TERN_QUEUE_VECTOR) return 1;
  const Patterns p(operation);
  switch (operation.opcode()) {
    case TERN_OPCODE_TENSOR_COPY:
    case TERN_OPCODE_TENSOR_SCALAR:
      return copy_mode(p);
    case TERN_OPCODE_TENSOR_TENSOR:
      return is_16_bit_tensor_tensor(p) ? 2 : 1;
    default:
      return 1;
  }
}

unsigned instruction_interval(const Operation& operation, unsigned queue,
                              const IntervalRules& rules) {
  if (operation.opcode() < TERN_OPCODE_ACTIVATION) return rules.min_interval;
  const auto special = special_cycles(operation, queue);
  const std::uint64_t cycles =
      std::max({std::uint64_t{rules.min_interval},
                special ? *special : elementwise_cycles(operation, queue, rules),
                strided_cycles(operation)});
  // Reading the accumulators out is one more instruction of the least interval.
  const bool reads = (operation.extension.flags & kExtendReduce) != 0;
  return static_cast<unsigned>(cycles) + (reads ? rules.min_interval : 0);
}

}  // namespace tern
