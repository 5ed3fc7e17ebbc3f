// SPDX-License-Identifier: Apache-2.0
#include "tb/tensor/top/oracle/reference_check.h"

#include <set>
#include <vector>

#include "tb/tensor/top/oracle/reference_product.h"

namespace tern::tb {

namespace {

using Type = TensorType;
using Tile = TensorTileSize;
constexpr std::int64_t kOne = 1;

bool is_move(const TensorCommand& c) {
  return c.op == TensorOp::kMultiplyMoving;
}

const std::set<Type>& formats(const TensorCommand& c) {
  static const std::set<Type> none,
      transpose = {Type::kBf16, Type::kFp16, Type::kFp32,  Type::kTf32,
                   Type::kE4m3, Type::kE5m2, Type::kE4m3fn};
  static const std::set<Type> by_mode[] = {
      {Type::kBf16, Type::kFp16, Type::kTf32, Type::kFp32},
      {Type::kBf16, Type::kFp16},
      {Type::kE4m3, Type::kE4m3fn, Type::kE5m2},
      {Type::kE4m3fnX4, Type::kE5m2X4, Type::kE2m1X4},
      {Type::kE4m3fnX4, Type::kE5m2X4, Type::kE2m1X4},
  };
  const auto mode = static_cast<unsigned>(c.mode);
  if (mode > 4) return none;
  if (c.op == TensorOp::kTranspose) return mode == 0 ? transpose : none;
  return static_cast<unsigned>(c.op) < 2 ? by_mode[mode] : none;
}

bool bad_operation(const TensorCommand& c) {
  if (formats(c).count(c.type) == 0) return true;
  const bool dense = c.mode == TensorMode::kDense && c.op != TensorOp::kTranspose;
  const bool rows = dense || c.mode == TensorMode::kDoubleRow || c.mode == TensorMode::kMx;
  if (static_cast<unsigned>(c.tile_rows) > (rows ? 2u : 0u)) return true;
  if (static_cast<unsigned>(c.tile_cols) > (dense ? 2u : 0u)) return true;
  if (c.mode == TensorMode::kSparse && static_cast<unsigned>(c.sparsity) > 6) return true;
  if (is_move(c) && c.stochastic && !c.bf16_result) return true;
  return c.op == TensorOp::kTranspose && (c.accumulate || c.stochastic);
}

// One direction of the tile: its start, size, part and the whole length.
bool bad_extent(std::uint64_t start, std::uint64_t size, Tile tile, std::uint64_t length) {
  const std::uint64_t part = length >> static_cast<unsigned>(tile);
  if (size < 1 || start + size > length || start % (length / 4) != 0) return true;
  return tile != Tile::kWhole && (start % part != 0 || size > part);
}

bool bad_tile(const TensorShape& shape, const TensorCommand& c) {
  if (bad_extent(c.row_start, c.rows, c.tile_rows, shape.rows)) return true;
  if (bad_extent(c.col_start, c.cols, c.tile_cols, shape.cols)) return true;
  if (c.tile_cols == Tile::kWhole && c.col_start != 0) return true;
  if (c.op == TensorOp::kTranspose) return false;
  switch (c.mode) {
    case TensorMode::kSparse:
      return c.rows % pattern_of(c.sparsity).kept != 0;
    case TensorMode::kDoubleRow:
      return c.row_start % 8 != 0 || c.rows % 8 != 0;
    case TensorMode::kMx:
    case TensorMode::kQuad:
      return c.row_start % 32 != 0 || c.rows % 32 != 0;
    default:
      return false;
  }
}

bool bad_moving(const TensorShape& shape, const TensorCommand& c) {
  const std::uint64_t n = std::uint64_t{c.num0} * c.num1;
  if (!is_move(c)) return n != c.cols;
  return n < 1 || n > std::uint64_t{shape.max_moving} * (c.bf16_result ? 2 : 1);
}

bool bad_psum(const TensorShape& shape, const TensorCommand& c) {
  if (c.op == TensorOp::kLoadStationary) return false;
  const std::uint64_t bank = bank_elements(shape, c);
  if (c.psum_bank >= shape.psum_banks || c.psum_column >= bank) return true;
  const bool quad = is_move(c) && c.mode == TensorMode::kQuad;
  const std::uint64_t banks = quad ? shape.psum_banks / 4 : shape.psum_banks;
  return c.psum_bank * bank + c.psum_column + columns_of(c) > banks * bank;
}

bool bad_alignment(const TensorCommand& c) {
  const bool double_row = c.mode == TensorMode::kDoubleRow;
  if (c.sbuf_address % bytes_of(c.type) != 0) return true;
  if (!is_move(c)) {
    return (c.mode != TensorMode::kDense && !four_at_a_time(c)) || (double_row && c.plane % 4 != 0);
  }
  return (double_row || c.mode == TensorMode::kSparse) && c.plane % 2 != 0;
}

// Whether [first, first + bytes) is not inside a partition.
bool outside(const TensorShape& shape, std::int64_t first, std::int64_t bytes) {
  return first < 0 || first + bytes > std::int64_t{shape.sbuf_bytes};
}

// Any of the corners of a pattern of elements of this size.
bool pattern_outside(const TensorShape& shape, const TensorCommand& c, std::int64_t first,
                     std::int64_t bytes) {
  for (const std::int64_t i1 : {std::int64_t{0}, c.num1 - kOne}) {
    for (const std::int64_t i0 : {std::int64_t{0}, c.num0 - kOne}) {
      if (outside(shape, first + bytes * (i0 * c.step0 + i1 * c.step1), bytes)) return true;
    }
  }
  return false;
}

bool bad_address(const TensorShape& shape, const TensorCommand& c) {
  const std::int64_t bytes = bytes_of(c.type), first = c.sbuf_address;
  unsigned planes = c.mode == TensorMode::kDoubleRow ? 2 : 1;
  if (is_move(c) && c.mode == TensorMode::kSparse) planes = pattern_of(c.sparsity).planes();
  for (unsigned plane = 0; plane < planes; ++plane) {
    const std::int64_t start = first + std::int64_t{plane} * c.plane;
    if (is_move(c) && pattern_outside(shape, c, start, bytes)) return true;
    for (unsigned m = 0; m < (is_move(c) ? 0 : c.cols); ++m) {
      if (outside(shape, start + pattern_offset(c, m, bytes), bytes)) return true;
    }
  }
  return false;
}

bool bad_scale(const TensorShape& shape, const TensorCommand& c) {
  const std::int64_t aux = c.aux_address;
  if (c.mode == TensorMode::kMx || c.mode == TensorMode::kQuad) {
    if (c.scale_offset > 12 || c.scale_offset % 4 != 0) return true;
    return is_move(c) ? pattern_outside(shape, c, aux, 1)
                      : aux % 4 != 0 || outside(shape, aux, c.cols);
  }
  return c.mode == TensorMode::kSparse && !is_move(c) &&
         (aux % 2 != 0 || outside(shape, aux, 2 * ((std::int64_t{c.cols} + 3) / 4)));
}

}  // namespace

bool four_at_a_time(const TensorCommand& c) {
  bool run = c.sbuf_address % 8 == 0;
  for (unsigned m = 0; m < c.cols; ++m) run = run && pattern_offset(c, m, 1) == m;
  return run;
}

Claim claim_of(const TensorShape& shape, const TensorCommand& c) {
  const auto last = [](unsigned first, Tile tile) {
    return tile == Tile::kWhole ? 3 : first + (tile == Tile::kHalf ? 1 : 0);
  };
  const unsigned row = c.tile_rows == Tile::kWhole ? 0 : c.row_start / (shape.rows / 4);
  const unsigned col = c.tile_cols == Tile::kWhole ? 0 : c.col_start / (shape.cols / 4);
  return {row, last(row, c.tile_rows), col, last(col, c.tile_cols)};
}

bool on_array_x(const TensorCommand& c) {
  return c.op != TensorOp::kTranspose && c.mode >= TensorMode::kDoubleRow;
}

std::uint64_t columns_of(const TensorCommand& c) {
  return is_move(c) ? std::uint64_t{c.num0} * c.num1 : c.rows;
}

bool half_elements(const TensorCommand& c) {
  return is_move(c) ? c.bf16_result : bytes_of(c.type) < 4;
}

unsigned bank_elements(const TensorShape& shape, const TensorCommand& c) {
  return shape.bank_columns * (half_elements(c) ? 2 : 1);
}

TensorStatusCode check_fields(const TensorShape& shape, const TensorCommand& c) {
  if (bad_operation(c)) return TensorStatusCode::kBadOperation;
  if (bad_tile(shape, c)) return TensorStatusCode::kBadTile;
  if (bad_moving(shape, c)) return TensorStatusCode::kBadMoving;
  if (bad_psum(shape, c)) return TensorStatusCode::kBadPsum;
  if (bad_alignment(c)) return TensorStatusCode::kBadAlignment;
  return TensorStatusCode::kOk;
}

TensorStatusCode check_places(const TensorShape& shape, const TensorCommand& c) {
  if (bad_address(shape, c)) return TensorStatusCode::kBadAddress;
  if (bad_scale(shape, c)) return TensorStatusCode::kBadScale;
  return TensorStatusCode::kOk;
}

}  // namespace tern::tb
