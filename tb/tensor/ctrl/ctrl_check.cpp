// SPDX-License-Identifier: Apache-2.0
// The codes of rtl/tensor/README.md, written as plain rules.
#include <algorithm>

#include "tb/tensor/ctrl/ctrl_reference.h"

namespace tern::tb {

namespace {

using I = std::int64_t;
constexpr auto kWhole = TensorTileSize::kWhole;

bool scaled(const TensorCommand& c) {
  return c.mode == TensorMode::kMx || c.mode == TensorMode::kQuad;
}

bool bad_operation(const TensorCommand& c) {
  if (static_cast<unsigned>(c.op) > 2) return true;
  const std::set<TensorType> two = {TensorType::kBf16, TensorType::kFp16};
  const std::set<TensorType> four = {TensorType::kFp32, TensorType::kTf32};
  const std::set<TensorType> one = {TensorType::kE4m3, TensorType::kE5m2, TensorType::kE4m3fn};
  const std::set<TensorType> packed = {TensorType::kE4m3fnX4, TensorType::kE5m2X4,
                                       TensorType::kE2m1X4};
  if (static_cast<unsigned>(c.tile_rows) > 2 || static_cast<unsigned>(c.tile_cols) > 2) return true;
  const bool whole = c.tile_rows == kWhole && c.tile_cols == kWhole;
  if (is_transpose(c)) {
    return c.mode != TensorMode::kDense || !whole || c.accumulate || c.stochastic ||
           (two.count(c.type) == 0 && four.count(c.type) == 0 && one.count(c.type) == 0);
  }
  if (is_move(c) && c.stochastic && !c.bf16_result) return true;
  switch (c.mode) {
    case TensorMode::kDense:
      return two.count(c.type) == 0 && four.count(c.type) == 0;
    case TensorMode::kSparse:
      return two.count(c.type) == 0 || !whole || static_cast<unsigned>(c.sparsity) > 6;
    case TensorMode::kDoubleRow:
      return one.count(c.type) == 0 || c.tile_cols != kWhole;
    case TensorMode::kMx:
      return packed.count(c.type) == 0 || c.tile_cols != kWhole;
    case TensorMode::kQuad:
      return packed.count(c.type) == 0 || !whole;
  }
  return true;
}

bool bad_side(I start, I count, I size, TensorTileSize tile) {
  if (count < 1 || start + count > size || start % (size / 4) != 0) return true;
  if (tile == kWhole) return false;
  const I part = tile == TensorTileSize::kHalf ? size / 2 : size / 4;
  return start % part != 0 || count > part;
}

bool bad_tile(const TensorShape& shape, const TensorCommand& c) {
  if (bad_side(c.row_start, c.rows, shape.rows, c.tile_rows)) return true;
  if (bad_side(c.col_start, c.cols, shape.cols, c.tile_cols)) return true;
  if (c.tile_cols == kWhole && c.col_start != 0) return true;
  if (scaled(c)) return c.row_start % 32 != 0 || c.rows % 32 != 0;
  if (c.mode == TensorMode::kDoubleRow) return c.row_start % 8 != 0 || c.rows % 8 != 0;
  if (c.mode == TensorMode::kSparse) return c.rows % kept(c.sparsity) != 0;
  return false;
}

bool bad_psum(const TensorShape& shape, const TensorCommand& c, I columns) {
  const bool half = is_transpose(c) ? element_bytes(c.type) < 4 : c.bf16_result;
  const I bank = static_cast<I>(shape.bank_columns) * (half ? 2 : 1);
  const I banks =
      is_move(c) && c.mode == TensorMode::kQuad ? shape.psum_banks / 4 : shape.psum_banks;
  return c.psum_bank >= shape.psum_banks || c.psum_column >= bank ||
         c.psum_bank * bank + c.psum_column + columns > banks * bank;
}

bool bad_alignment(const TensorCommand& c) {
  const bool double_row = c.mode == TensorMode::kDoubleRow;
  if (c.sbuf_address % static_cast<unsigned>(element_bytes(c.type)) != 0) return true;
  if (is_move(c)) return (double_row || c.mode == TensorMode::kSparse) && c.plane % 2 != 0;
  return (c.mode != TensorMode::kDense && !in_fours(c)) || (double_row && c.plane % 4 != 0);
}

// Some element of the pattern, `size` bytes each, is outside the partition. A pattern is linear
// in both indices, so its corners decide.
bool pattern_outside(const TensorShape& shape, const TensorCommand& c, I base, I size) {
  for (const I i0 : {I{0}, static_cast<I>(c.num0) - 1}) {
    for (const I i1 : {I{0}, static_cast<I>(c.num1) - 1}) {
      const I address = base + size * (i0 * c.step0 + i1 * c.step1);
      if (address < 0 || address + size > shape.sbuf_bytes) return true;
    }
  }
  return false;
}

bool bad_address(const TensorShape& shape, const TensorCommand& c) {
  const I base = c.sbuf_address, size = element_bytes(c.type);
  if (!is_move(c)) {
    for (I m = 0; m < c.cols; ++m) {
      const I address = base + size * column_offset(c, m);
      for (const I plane : {I{0}, c.mode == TensorMode::kDoubleRow ? I{c.plane} : I{0}}) {
        if (address + plane < 0 || address + plane + size > shape.sbuf_bytes) return true;
      }
    }
    return false;
  }
  int count = 1;
  if (c.mode == TensorMode::kSparse) count = planes(c.sparsity);
  if (c.mode == TensorMode::kDoubleRow) count = 2;
  for (int plane = 0; plane < count; ++plane) {
    if (pattern_outside(shape, c, base + static_cast<I>(plane) * c.plane, size)) return true;
  }
  return false;
}

bool bad_scale(const TensorShape& shape, const TensorCommand& c) {
  const I aux = c.aux_address;
  if (scaled(c)) {
    if (c.scale_offset % 4 != 0) return true;
    if (is_move(c)) return pattern_outside(shape, c, aux, 1);
    return aux % 4 != 0 || aux + c.cols > shape.sbuf_bytes;
  }
  if (c.mode != TensorMode::kSparse || is_move(c)) return false;
  return aux % 2 != 0 || aux + 2 * ((static_cast<I>(c.cols) + 3) / 4) > shape.sbuf_bytes;
}

}  // namespace

bool is_load(const TensorCommand& c) {
  return c.op == TensorOp::kLoadStationary;
}
bool is_move(const TensorCommand& c) {
  return c.op == TensorOp::kMultiplyMoving;
}
bool is_transpose(const TensorCommand& c) {
  return c.op == TensorOp::kTranspose;
}
bool on_array_x(const TensorCommand& c) {
  return scaled(c) || c.mode == TensorMode::kDoubleRow;
}

int element_bytes(TensorType type) {
  switch (type) {
    case TensorType::kE4m3:
    case TensorType::kE5m2:
    case TensorType::kE4m3fn:
      return 1;
    case TensorType::kBf16:
    case TensorType::kFp16:
    case TensorType::kE2m1X4:
      return 2;
    default:
      return 4;
  }
}

std::int64_t column_offset(const TensorCommand& c, std::int64_t n) {
  return n % c.num0 * c.step0 + n / c.num0 * c.step1;
}

bool in_fours(const TensorCommand& c) {
  for (I m = 0; m < c.cols; ++m) {
    if (column_offset(c, m) != m) return false;
  }
  return c.sbuf_address % 8 == 0;
}

int kept(TensorSparsity sparsity) {
  const int table[] = {4, 4, 4, 2, 2, 1, 1, 1};
  return table[static_cast<unsigned>(sparsity)];
}

int planes(TensorSparsity sparsity) {
  const int table[] = {4, 3, 2, 4, 2, 4, 2, 1};
  return table[static_cast<unsigned>(sparsity)];
}

unsigned check_command(const TensorShape& shape, const TensorCommand& c) {
  if (bad_operation(c)) return 1;
  if (bad_tile(shape, c)) return 2;
  const I columns = is_transpose(c) ? c.rows : static_cast<I>(c.num0) * c.num1;
  const I most = static_cast<I>(shape.max_moving) * (c.bf16_result ? 2 : 1);
  if (is_move(c) && (columns < 1 || columns > most)) return 3;
  if (!is_move(c) && static_cast<I>(c.num0) * c.num1 != c.cols) return 3;
  if (!is_load(c) && bad_psum(shape, c, columns)) return 4;
  if (bad_alignment(c)) return 5;
  if (bad_address(shape, c)) return 7;
  if (bad_scale(shape, c)) return 8;
  return 0;
}

}  // namespace tern::tb
