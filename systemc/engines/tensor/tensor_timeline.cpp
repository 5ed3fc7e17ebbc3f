// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_timeline.h"

#include <algorithm>

namespace tern {

namespace {

// Rows that array X reads together.
constexpr unsigned kBlockRows = 8;

// Cycles from the first row to below the last one: array A row by row, array X block by block.
std::uint64_t rows_time(const TensorShape& shape) {
  return std::uint64_t{shape.rows} * shape.stages;
}
std::uint64_t blocks_time(const TensorShape& shape) {
  return rows_time(shape) / kBlockRows;
}
// Of a row group.
std::uint64_t group_blocks_time(const TensorShape& shape) {
  return blocks_time(shape) / TensorCells::kGrid;
}

}  // namespace

std::uint64_t write_delay(const TensorShape& shape, const TensorCommand& command) {
  if (command.op == TensorOp::kTranspose) return load_cycles(command) + rows_time(shape) + 3;
  const unsigned last_group = claimed_cells(shape, command).row_last;
  if (uses_mx_array(command)) return group_blocks_time(shape) * (last_group + 1) + 3;
  return std::uint64_t{tile_quarter(shape.rows)} * shape.stages * (last_group + 1) + 2;
}

TensorTimeline::TensorTimeline(const TensorShape& shape)
    : shape_(shape), ramp_(shape), windows_(shape.psum_banks) {}

template <typename Visit>
void TensorTimeline::each_window(const TensorCommand& command, Visit visit) {
  const std::uint64_t first = first_element(shape_, command);
  const std::uint64_t last = first + written_columns(command) - 1;
  const unsigned elements = elements_of_bank(shape_, command);
  const TensorCells cells = claimed_cells(shape_, command);
  for (unsigned slot = 0; slot < result_slots(command); ++slot) {
    const std::uint64_t shift = std::uint64_t{slot} * banks_between_slots(shape_);
    for (std::uint64_t bank = first / elements; bank <= last / elements; ++bank) {
      for (unsigned j = cells.col_first; j <= cells.col_last; ++j) visit(windows_[bank + shift][j]);
    }
  }
}

TensorTimeline::Cycle TensorTimeline::after_windows(Cycle earliest, const TensorCommand& command) {
  const Cycle delay = write_delay(shape_, command);
  Cycle first_write = earliest + delay;
  each_window(command, [&](Cycle end) { first_write = std::max(first_write, end); });
  if (command.stochastic) first_write = std::max(first_write, random_free_);
  return first_write - delay;
}

void TensorTimeline::enter_window(Cycle issue, const TensorCommand& command) {
  const Cycle end = issue + written_columns(command) + write_delay(shape_, command);
  each_window(command, [&](Cycle& window) { window = end; });
  if (command.stochastic) random_free_ = end;
}

TensorTimeline::Slot TensorTimeline::accepted(std::uint64_t now, const TensorCommand& command) {
  const Cycle earliest = std::max(now + 1, next_issue_);
  return command.op == TensorOp::kMultiplyMoving ? multiply(earliest, command)
                                                 : load(earliest, command);
}

TensorTimeline::Slot TensorTimeline::load(Cycle earliest, const TensorCommand& command) {
  const Cycle length = load_cycles(command);
  Cycle issue = std::max(earliest, load_free_);
  if (uses_mx_array(command)) {
    issue = std::max(issue, mx_load_after_);
    load_free_ = issue + length;
    const TensorCells cells = claimed_cells(shape_, command);
    for (unsigned g = cells.row_first; g <= cells.row_last; ++g) mx_ready_[g] = issue + length + 1;
    return finish(issue, issue + length + blocks_time(shape_));
  }
  issue = std::max(issue, shadow_free_);
  Cycle complete = 0;
  if (command.op == TensorOp::kTranspose) {
    issue = after_windows(issue, command);
    enter_window(issue, command);
    shadow_free_ = issue + length + 1 + command.rows;
    complete = issue + command.rows + write_delay(shape_, command);
  } else {
    claimed_cells(shape_, command).each([&](unsigned cell) {
      cell_ready_[cell] = issue + length + 1;
    });
    complete = issue + length + rows_time(shape_);
  }
  load_free_ = issue + length;
  mx_load_after_ = load_free_ + rows_time(shape_) - blocks_time(shape_);
  return finish(issue, complete);
}

TensorTimeline::Slot TensorTimeline::multiply(Cycle earliest, const TensorCommand& command) {
  const Cycle columns = moving_columns(command);
  const bool mx = uses_mx_array(command);
  const TensorCells cells = claimed_cells(shape_, command);  // array X: all columns
  Cycle issue = mx ? std::max(earliest, mx_move_after_) : earliest;
  // Quad mode leaves later by the ports of the upper row groups than a tile that ends there.
  if (mx && cells.row_last != TensorCells::kGrid - 1) {
    issue = std::max(issue, mx_ports_free_);
  }
  Cycle ready = 0;
  cells.each([&](unsigned cell) {
    issue = std::max(issue, cell_free_[cell]);
    ready = std::max(ready, mx ? mx_ready_[cell / TensorCells::kGrid] : cell_ready_[cell]);
  });
  issue = after_windows(issue, command);
  const Cycle stalls = ready > issue ? ready - issue : 0;
  issue += stalls;
  enter_window(issue, command);
  const Cycle interval = std::max<Cycle>(
      shape_.min_interval, ramp_.multiply(issue, columns, command.rows, command.cols));
  cells.each([&](unsigned cell) { cell_free_[cell] = issue + interval; });
  if (command.mode == TensorMode::kQuad) {
    mx_ports_free_ = issue + columns + (TensorCells::kGrid - 1) * group_blocks_time(shape_);
  }
  if (!mx) {
    mx_move_after_ =
        std::max(mx_move_after_, issue + columns + rows_time(shape_) - blocks_time(shape_));
  }
  Slot slot = finish(issue, issue + columns + write_delay(shape_, command));
  slot.weight_stalls = stalls;
  return slot;
}

TensorTimeline::Slot TensorTimeline::rejected(std::uint64_t now) {
  const Cycle issue = std::max(now + 1, next_issue_);
  return finish(issue, issue + 1);
}

std::uint64_t TensorTimeline::settled() const {
  Cycle cycle = std::max({next_issue_, next_retire_, load_free_, shadow_free_, mx_load_after_,
                          mx_move_after_, mx_ports_free_, random_free_, ramp_.at_rest()});
  const auto include = [&](const auto& cycles) {
    cycle = std::max(cycle, *std::max_element(cycles.begin(), cycles.end()));
  };
  include(cell_free_);
  include(cell_ready_);
  include(mx_ready_);
  for (const auto& bank : windows_) include(bank);
  return cycle;
}

TensorTimeline::Slot TensorTimeline::finish(Cycle issue, Cycle complete) {
  const Cycle retire = std::max(complete, next_retire_);
  next_issue_ = issue + 1;
  next_retire_ = retire + 1;
  return {issue, retire, 0};
}

}  // namespace tern
