// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_read_times.h"

#include "systemc/engines/tensor/tensor_check.h"
#include "systemc/engines/tensor/tensor_geometry.h"

namespace tern {

namespace {

// Cycles by which the last row of a tile reads after the first row of the array: rows, groups of
// four rows or blocks of eight follow one another.
std::uint64_t skew(const TensorShape& shape, const TensorCommand& command) {
  const unsigned last_row = command.row_start + command.rows - 1;
  const unsigned steps = uses_mx_array(command)                    ? last_row / 8
                         : command.op == TensorOp::kMultiplyMoving ? last_row / 4 * 4
                                                                   : last_row;
  return std::uint64_t{steps} * shape.stages;
}

}  // namespace

std::optional<std::uint64_t> TensorReadTimes::pushed(std::uint64_t now,
                                                     const TensorCommand& command) {
  if (check_tensor_command(shape_, command, records_) != TensorStatusCode::kOk) {
    timeline_.rejected(now);
    return std::nullopt;
  }
  const TensorTimeline::Slot slot = timeline_.accepted(now, command);
  records_.accepted(shape_, command);
  const std::uint64_t reads =
      command.op == TensorOp::kMultiplyMoving ? moving_columns(command) : load_cycles(command);
  // The last request leaves in cycle issue + reads + skew; its answer is in flight in the next
  // one.
  return slot.issue + reads + skew(shape_, command) + 1;
}

}  // namespace tern
