// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/interval_parts.h"

#include <algorithm>

#include "sw/spec/access_pattern.h"
#include "sw/spec/extension.h"
#include "sw/spec/generated/formats.h"
#include "systemc/engines/vector/special/gather.h"

namespace tern {

bool is_16_bit_float(unsigned dtype) {
  return dtype == TERN_DTYPE_BF16 || dtype == TERN_DTYPE_FP16;
}

namespace {

bool is_fp8(unsigned dtype) {
  return dtype == TERN_DTYPE_E4M3 || dtype == TERN_DTYPE_E5M2 || dtype == TERN_DTYPE_E4M3FN;
}

AccessPattern dst_of(const Operation& operation) {
  return {operation.instruction.elementwise.dst, operation.extension.dst_outer};
}

AccessPattern src0_of(const Operation& operation) {
  return {operation.instruction.elementwise.src0, operation.extension.src0_outer};
}

bool copies_16_bit_floats(const tern_instr_elementwise_t& in) {
  return is_16_bit_float(in.dst_dtype) && is_16_bit_float(in.src0_dtype);
}

}  // namespace

std::uint64_t source_elements(const Operation& operation) {
  return src0_of(operation).count();
}

std::uint64_t result_elements(const Operation& operation) {
  return dst_of(operation).count();
}

unsigned serial_partitions(const Operation& operation) {
  return std::min<unsigned>(operation.instruction.elementwise.partitions, kCorePartitions);
}

std::uint64_t source_cycles(const Operation& operation, unsigned, const IntervalRules&) {
  return source_elements(operation);
}

std::uint64_t two_tile_cycles(const Operation& operation, bool fast) {
  const AccessPattern src0 = src0_of(operation);
  const AccessPattern src1(operation.instruction.elementwise.src1, operation.extension.src1_outer);
  return fast || src0.psum != src1.psum ? src0.count() : 2 * src0.count();
}

// tensor_scalar with a reduction has no performance mode.
unsigned copy_mode(const Operation& operation, const IntervalRules& rules) {
  const bool accumulates = operation.extension.reduce_cmd != TERN_REDUCE_CMD_IDLE ||
                           (operation.extension.flags & kExtendReduce) != 0;
  if (accumulates || !rules.vector.fast_modes) return 1;
  const tern_instr_elementwise_t& in = operation.instruction.elementwise;
  const auto narrow = [&](unsigned dtype) {
    return is_16_bit_float(dtype) || (rules.vector.fast_fp8 && is_fp8(dtype));
  };
  const unsigned rate = narrow(in.dst_dtype) && narrow(in.src0_dtype) ? 4 : 2;
  const AccessPattern dst = dst_of(operation), src0 = src0_of(operation);
  const bool contiguous = dst.inner_contiguous() && src0.inner_contiguous();
  if (!dst.psum && !src0.psum) return contiguous ? rate : rate / 2;
  return rate == 4 && contiguous && dst.psum != src0.psum ? 2 : 1;
}

std::uint64_t copy_cycles(const Operation& operation, unsigned queue, const IntervalRules& rules) {
  unsigned rate = 1;
  if (queue == TERN_QUEUE_VECTOR && rules.shared_bus) rate = copy_mode(operation, rules);
  if (queue == TERN_QUEUE_SCALAR && rules.scalar_double_rate &&
      copies_16_bit_floats(operation.instruction.elementwise)) {
    rate = 2;
  }
  return ceil_div(source_elements(operation), rate);
}

}  // namespace tern
