// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/accumulators.h"

#include <algorithm>
#include <limits>

#include "sw/spec/extension.h"
#include "systemc/engines/vector/alu_rows.h"

namespace tern {

float neutral_element(unsigned op) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (op) {
    case TERN_ALU_OP_MAX:
      return -kInfinity;
    case TERN_ALU_OP_MIN:
    case TERN_ALU_OP_ABS_MIN:
      return kInfinity;
    default:  // add, abs_max
      return 0.0f;
  }
}

void Accumulators::begin(const EngineMemory& memory, const tern_instr_extend_t& extension,
                         unsigned first_partition, unsigned partitions) {
  const unsigned command = extension.reduce_cmd;
  first_ = first_partition;
  partitions_ = partitions;
  op_ = extension.reduce_op;
  reduces_ = command == TERN_REDUCE_CMD_REDUCE || command == TERN_REDUCE_CMD_RESET_REDUCE ||
             command == TERN_REDUCE_CMD_LOAD_REDUCE;
  if (command == TERN_REDUCE_CMD_RESET || command == TERN_REDUCE_CMD_RESET_REDUCE) {
    std::fill_n(&values_[first_], partitions_, neutral_element(op_));
  } else if (command == TERN_REDUCE_CMD_LOAD_REDUCE) {
    ScalarColumn column;
    column.open(memory, extension.reduce, partitions_);
    for (unsigned lane = 0; lane < partitions_; ++lane) at(lane) = column.at(lane);
  }
}

void Accumulators::add_row(unsigned lane, const float* results, std::size_t count) {
  at(lane) = alu_chain(op_, at(lane), results, count);
}

bool Accumulators::stores_to_psum(const tern_instr_extend_t& extension) {
  return (extension.flags & kExtendReduce) != 0 &&
         AccessPattern(tern_ap_t{extension.reduce, 1, 1, 1, 0}).psum;
}

void Accumulators::finish(const EngineMemory& memory, const tern_instr_extend_t& extension) {
  if ((extension.flags & kExtendReduce) == 0) return;
  ScalarColumn::store(memory, extension.reduce, &values_[first_], partitions_);
}

}  // namespace tern
