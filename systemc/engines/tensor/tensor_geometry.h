// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "sw/base/math.h"
#include "sw/spec/tensor_modes.h"
#include "systemc/engines/tensor/tensor_datapath.h"

// Sizes and positions that follow from a command alone.
namespace tern {

// Bytes of one element of a partition.
constexpr unsigned element_bytes(TensorType type) {
  switch (type) {
    case TensorType::kBf16:
    case TensorType::kFp16:
    case TensorType::kE2m1X4:
      return 2;
    case TensorType::kFp32:
    case TensorType::kTf32:
    case TensorType::kE4m3fnX4:
    case TensorType::kE5m2X4:
      return 4;
    case TensorType::kE4m3:
    case TensorType::kE5m2:
    case TensorType::kE4m3fn:
      return 1;
  }
  return 0;
}

// The modes of array X, in blocks of eight rows; the others belong to array A.
constexpr bool uses_mx_array(const TensorCommand& command) {
  return command.op != TensorOp::kTranspose && command.mode >= TensorMode::kDoubleRow;
}
constexpr bool uses_scales(const TensorCommand& command) {
  return command.mode == TensorMode::kMx || command.mode == TensorMode::kQuad;
}

constexpr SparsePattern sparse_pattern(TensorSparsity sparsity) {
  return kSparsePatterns[static_cast<unsigned>(sparsity)];
}

// Multiply-adds of a row and a column of the tile.
constexpr unsigned products_per_cell(TensorMode mode) {
  return mode == TensorMode::kDoubleRow ? 2 : mode >= TensorMode::kMx ? 4 : 1;
}

// How many patterns the operand has, `plane` bytes apart.
constexpr unsigned operand_planes(const TensorCommand& command) {
  if (command.op == TensorOp::kTranspose) return 1;
  if (command.mode == TensorMode::kDoubleRow) return 2;
  const bool moving = command.op == TensorOp::kMultiplyMoving;
  return moving && command.mode == TensorMode::kSparse ? sparse_pattern(command.sparsity).planes()
                                                       : 1;
}

// Elements of the operand's pattern.
constexpr std::uint64_t pattern_elements(const TensorCommand& command) {
  return std::uint64_t{command.num0} * command.num1;
}
constexpr bool is_contiguous(const TensorCommand& command) {
  return (command.num0 == 1 || command.step0 == 1) &&
         (command.num1 == 1 || command.step1 == static_cast<int>(command.num0));
}
constexpr std::uint64_t moving_columns(const TensorCommand& command) {
  return pattern_elements(command);
}
// Columns that the command writes to PSUM: N of the timing formulas.
constexpr std::uint64_t written_columns(const TensorCommand& command) {
  return command.op == TensorOp::kTranspose ? command.rows : moving_columns(command);
}
// A load of four columns a cycle: of a run of elements that begins on eight bytes.
constexpr bool loads_groups(const TensorCommand& command) {
  return is_contiguous(command) && command.sbuf_address % TERN_TENSOR_ALIGN_STATIONARY == 0;
}
// Cycles of a load: L of the timing formulas.
constexpr std::uint64_t load_cycles(const TensorCommand& command) {
  return loads_groups(command) ? ceil_div(std::uint64_t{command.cols}, 4) : command.cols;
}

// The destination holds 16-bit elements.
constexpr bool writes_halves(const TensorCommand& command) {
  return command.op == TensorOp::kTranspose ? element_bytes(command.type) < 4 : command.bf16_result;
}
// Destination elements in a bank.
constexpr unsigned elements_of_bank(const TensorShape& shape, const TensorCommand& command) {
  return shape.bank_columns * (writes_halves(command) ? 2 : 1);
}
// First destination element, counted through all banks.
constexpr std::uint64_t first_element(const TensorShape& shape, const TensorCommand& command) {
  return std::uint64_t{command.psum_bank} * elements_of_bank(shape, command) + command.psum_column;
}
// Quad mode writes four slots, each in a quarter of the banks.
constexpr unsigned result_slots(const TensorCommand& command) {
  return command.op == TensorOp::kMultiplyMoving && command.mode == TensorMode::kQuad ? 4 : 1;
}
constexpr unsigned banks_between_slots(const TensorShape& shape) {
  return shape.psum_banks / 4;
}

// The cells of the array's 4 x 4 grid that a tile claims, both ends included.
struct TensorCells {
  static constexpr unsigned kGrid = 4;
  unsigned row_first = 0, row_last = kGrid - 1;
  unsigned col_first = 0, col_last = kGrid - 1;

  template <typename Visit>
  void each(Visit visit) const {
    for (unsigned g = row_first; g <= row_last; ++g) {
      for (unsigned j = col_first; j <= col_last; ++j) visit(g * kGrid + j);
    }
  }
};

// Rows or columns of a quarter of the array.
constexpr unsigned tile_quarter(unsigned whole) {
  return std::max(whole / TensorCells::kGrid, 1u);
}

// Of a command with a legal tile.
constexpr TensorCells claimed_cells(const TensorShape& shape, const TensorCommand& command) {
  TensorCells cells;
  if (command.op == TensorOp::kTranspose) return cells;
  const auto claim = [](TensorTileSize size, unsigned group, unsigned* first, unsigned* last) {
    if (size == TensorTileSize::kWhole) return;
    *first = group;
    *last = group + (size == TensorTileSize::kHalf ? 1 : 0);
  };
  claim(command.tile_rows, command.row_start / tile_quarter(shape.rows), &cells.row_first,
        &cells.row_last);
  claim(command.tile_cols, command.col_start / tile_quarter(shape.cols), &cells.col_first,
        &cells.col_last);
  return cells;
}

}  // namespace tern
