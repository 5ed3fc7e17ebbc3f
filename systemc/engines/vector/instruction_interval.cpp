// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/instruction_interval.h"

#include <algorithm>
#include <cstdlib>

#include "sw/numerics/dtype.h"
#include "sw/spec/access_pattern.h"
#include "sw/spec/extension.h"
#include "systemc/engines/instruction/instruction_set.h"
#include "systemc/engines/vector/instruction_families.h"

namespace tern {

namespace {

constexpr std::int64_t kFastStepBytes = 16;  // beyond: half the bandwidth

// Cycles in which the memories deliver or accept an operand: two per element if neighbours are more
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
  const tern_instr_elementwise_t& in = operation.instruction.elementwise;
  const tern_instr_extend_t& extension = operation.extension;
  return std::max({access_cycles({in.dst, extension.dst_outer}, in.dst_dtype),
                   access_cycles({in.src0, extension.src0_outer}, in.src0_dtype),
                   access_cycles({in.src1, extension.src1_outer}, in.src1_dtype)});
}

}  // namespace

bool has_access_patterns(unsigned opcode) {
  return instruction_spec(opcode).body == InstructionBody::elementwise;
}

unsigned performance_mode(const Operation& operation, unsigned queue, const IntervalRules& rules) {
  const InstructionRow* row = vector_instructions().find(operation.opcode());
  if (queue != TERN_QUEUE_VECTOR || row == nullptr || row->mode == nullptr) return 1;
  return row->mode(operation, rules);
}

unsigned instruction_interval(const Operation& operation, unsigned queue,
                              const IntervalRules& rules) {
  const InstructionRow* row = vector_instructions().find(operation.opcode());
  if (row == nullptr) return rules.min_interval;
  const std::uint64_t elements =
      std::max(row->cycles(operation, queue, rules), strided_cycles(operation));
  const std::uint64_t cycles =
      std::max<std::uint64_t>(rules.min_interval, elements + rules.overhead);
  // Reading the accumulators is one more instruction of the minimum interval.
  const bool reads = (operation.extension.flags & kExtendReduce) != 0;
  return static_cast<unsigned>(cycles) + (reads ? rules.min_interval : 0);
}

}  // namespace tern
