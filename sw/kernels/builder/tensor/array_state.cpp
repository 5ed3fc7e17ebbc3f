// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/tensor/array_state.h"

#include "sw/kernels/builder/memory/limits.h"

namespace tern::kernels {

namespace {

bool on_mx_array(TensorMode mode) {
  return mode != TensorMode::kDense && mode != TensorMode::kSparse;
}

bool is_legacy_pair(DType one, DType other) {
  return (one == DType::kE4m3 && other == DType::kE4m3Fn) ||
         (one == DType::kE4m3Fn && other == DType::kE4m3);
}

std::string name_of(DType dtype) {
  return std::string(numerics::dtype_name(dtype));
}

// Why the two are incompatible; empty if they are compatible.
std::string mismatch(const TensorOperand& stationary, const TensorOperand& moving) {
  const DType a = stationary.data.dtype, b = moving.data.dtype;
  if (stationary.mode != moving.mode) return "the stationary was loaded in another mode";
  if (!on_mx_array(moving.mode) && numerics::dtype_size(a) != numerics::dtype_size(b)) {
    return "the stationary is " + name_of(a) + ": " + name_of(b) +
           " cannot meet it (a 4-byte format meets only a 4-byte format)";
  }
  if (is_legacy_pair(a, b)) return "e4m3 and e4m3fn never meet";
  if (moving.mode == TensorMode::kSparse && stationary.sparsity != moving.sparsity) {
    return "the stationary keeps " + std::to_string(kept(stationary.sparsity)) + " of " +
           std::to_string(group(stationary.sparsity)) + ", the moving operand is laid out for " +
           std::to_string(kept(moving.sparsity)) + " of " + std::to_string(group(moving.sparsity));
  }
  return {};
}

bool same(const ArrayTile& a, const ArrayTile& b) {
  return a.row == b.row && a.column == b.column && a.rows == b.rows && a.columns == b.columns;
}

}  // namespace

// A tile of whole rows claims all row groups, wherever it begins.
ArrayState::Span ArrayState::row_groups(const ArrayTile& tile) {
  constexpr unsigned kRows = kPartitions / kGroups;
  const unsigned row = tile.rows == kPartitions ? 0 : tile.row;
  return {row / kRows, (row + tile.rows) / kRows};
}

template <typename Visit>
void ArrayState::for_cells(const ArrayTile& tile, Visit visit) {
  constexpr unsigned kColumns = kMaxStationary / kGroups;
  const Span rows = row_groups(tile);
  for (unsigned r = rows.begin; r < rows.end; ++r) {
    for (unsigned c = tile.column / kColumns; c < (tile.column + tile.columns) / kColumns; ++c) {
      visit(cells_[r][c]);
    }
  }
}

void ArrayState::load(const TensorOperand& stationary, const ArrayTile& tile) {
  const auto loaded = std::make_shared<const Stationary>(Stationary{stationary, tile});
  if (on_mx_array(stationary.mode)) {
    const Span rows = row_groups(tile);
    for (unsigned r = rows.begin; r < rows.end; ++r) mx_[r] = loaded;
    return;
  }
  for_cells(tile, [&](Cell& cell) { cell = {loaded, false}; });
}

std::shared_ptr<const ArrayState::Stationary> ArrayState::take(const TensorOperand& moving,
                                                               const ArrayTile& tile,
                                                               std::string* reason) {
  std::shared_ptr<const Stationary> found;
  bool one = true;
  if (on_mx_array(moving.mode)) {
    const Span rows = row_groups(tile);
    found = mx_[rows.begin];
    for (unsigned r = rows.begin; r < rows.end; ++r) one = one && mx_[r] == found;
  } else {
    bool first = true;
    for_cells(tile, [&](Cell& cell) {
      if (first) found = cell.stationary;
      one = one && cell.stationary == found;
      first = false;
    });
  }
  if (!one || (found && !same(found->tile, tile))) {
    *reason = "the stationary on this tile was loaded with another tile";
    return nullptr;
  }
  if (!found) {
    *reason = "no load_stationary before it";
    return nullptr;
  }
  *reason = mismatch(found->operand, moving);
  if (!reason->empty()) return nullptr;
  if (!on_mx_array(moving.mode)) for_cells(tile, [](Cell& cell) { cell.taken = true; });
  return found;
}

void ArrayState::transpose() {
  for (auto& row : cells_) {
    for (Cell& cell : row) {
      if (!cell.taken) cell = {};
    }
  }
}

}  // namespace tern::kernels
