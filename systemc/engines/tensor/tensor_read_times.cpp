// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_read_times.h"

#include <memory>
#include <utility>

#include "systemc/engines/tensor/tensor_check.h"
#include "systemc/engines/tensor/tensor_geometry.h"

namespace tern {

namespace {

// Cycles by which the last row of a tile reads after the first row of the array: rows, groups of
// four rows or blocks of eight follow one another.
std::uint64_t skew(const TensorCommand& command) {
  const unsigned last_row = command.row_start + command.rows - 1;
  if (uses_mx_array(command)) return last_row / 8;
  return command.op == TensorOp::kMultiplyMoving ? last_row / 4 * 4 : last_row;
}

}  // namespace

std::optional<std::uint64_t> TensorReadTimes::pushed(std::uint64_t now,
                                                     const TensorCommand& command) {
  if (check_tensor_command(shape_, command, records_) != TensorStatusCode::kOk) {
    timeline_.rejected(now);
    return std::nullopt;
  }
  const TensorTimeline::Slot slot = timeline_.accepted(now, command);
  std::uint64_t reads = load_cycles(command);
  switch (command.op) {
    case TensorOp::kLoadStationary: {
      auto stationary = std::make_shared<TensorStationary>();
      stationary->command = command;
      records_.load(shape_, std::move(stationary));
      break;
    }
    case TensorOp::kMultiplyMoving:
      records_.multiply(shape_, command);
      reads = moving_columns(command);
      break;
    case TensorOp::kTranspose:
      records_.transpose();
      break;
  }
  // The last request leaves in cycle issue + reads + skew; its answer is in flight in the next
  // one.
  return slot.issue + reads + skew(command) + 1;
}

}  // namespace tern
