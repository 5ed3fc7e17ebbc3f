// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/tensor/tensor_records.h"

#include <utility>

namespace tern {

namespace {

bool same_kind(const TensorCommand& load, const TensorCommand& move) {
  if (load.mode != move.mode) return false;
  const auto meet = [&](TensorType a, TensorType b) {
    return (load.type == a && move.type == b) || (load.type == b && move.type == a);
  };
  switch (load.mode) {
    case TensorMode::kDense:
      return element_bytes(load.type) == element_bytes(move.type);
    case TensorMode::kSparse:
      return load.sparsity == move.sparsity;
    case TensorMode::kDoubleRow:
      return !meet(TensorType::kE4m3, TensorType::kE4m3fn);
    case TensorMode::kMx:
    case TensorMode::kQuad:
      return true;
  }
  return false;
}

bool same_tile(const TensorCommand& load, const TensorCommand& move) {
  return load.row_start == move.row_start && load.rows == move.rows &&
         load.col_start == move.col_start && load.cols == move.cols &&
         load.tile_rows == move.tile_rows && load.tile_cols == move.tile_cols;
}

}  // namespace

void TensorRecords::load(const TensorShape& shape, Stationary stationary) {
  const TensorCommand& command = stationary->command;
  if (uses_mx_array(command)) {
    const TensorCells claimed = claimed_cells(shape, command);
    for (unsigned g = claimed.row_first; g <= claimed.row_last; ++g) mx_[g] = stationary;
    return;
  }
  claimed_cells(shape, command).each([&](unsigned cell) { cells_[cell] = {stationary, true}; });
}

void TensorRecords::multiply(const TensorShape& shape, const TensorCommand& move) {
  if (uses_mx_array(move)) return;
  claimed_cells(shape, move).each([&](unsigned cell) { cells_[cell].pending = false; });
}

void TensorRecords::transpose() {
  for (Cell& cell : cells_) {
    if (cell.pending) cell = {};
  }
}

void TensorRecords::accepted(const TensorShape& shape, const TensorCommand& command) {
  switch (command.op) {
    case TensorOp::kLoadStationary: {
      auto stationary = std::make_shared<TensorStationary>();
      stationary->command = command;
      load(shape, std::move(stationary));
      return;
    }
    case TensorOp::kMultiplyMoving:
      multiply(shape, command);
      return;
    case TensorOp::kTranspose:
      transpose();
      return;
  }
}

TensorRecords::Stationary TensorRecords::find(const TensorShape& shape,
                                              const TensorCommand& move) const {
  const TensorCells claimed = claimed_cells(shape, move);
  const bool mx = uses_mx_array(move);
  const auto held = [&](unsigned cell) -> const Stationary& {
    return mx ? mx_[cell / TensorCells::kGrid] : cells_[cell].stationary;
  };
  const Stationary& found = held(claimed.row_first * TensorCells::kGrid + claimed.col_first);
  bool all = true;
  claimed.each([&](unsigned cell) { all = all && held(cell) == found; });
  if (!all) return nullptr;
  if (found == nullptr || !same_kind(found->command, move) || !same_tile(found->command, move)) {
    return nullptr;
  }
  return found;
}

}  // namespace tern
