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
unsigned copy_mode(const Operation& operation) {
  const bool accumulates = operation.extension.reduce_cmd != TERN_REDUCE_CMD_IDLE ||
                           (operation.extension.flags & kExtendReduce) != 0;
  if (accumulates || !copies_16_bit_floats(operation.instruction.elementwise)) return 1;
  const AccessPattern dst = dst_of(operation), src0 = src0_of(operation);
  const bool contiguous = dst.inner_contiguous() && src0.inner_contiguous();
  if (!dst.psum && !src0.psum) return contiguous ? 4 : 2;
  return contiguous && dst.psum != src0.psum ? 2 : 1;
}

std::uint64_t copy_cycles(const Operation& operation, unsigned queue, const IntervalRules& rules) {
  unsigned rate = 1;
  if (queue == TERN_QUEUE_VECTOR && rules.shared_bus) rate = copy_mode(operation);
  if (queue == TERN_QUEUE_SCALAR && rules.scalar_double_rate &&
      copies_16_bit_floats(operation.instruction.elementwise)) {
    rate = 2;
  }
  return ceil_div(source_elements(operation), rate);
}

}  // namespace tern
