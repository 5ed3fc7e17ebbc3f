// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/kernels/builder/memory/views.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/tensor_modes.h"

namespace tern::kernels {

// docs/numerics.md, section 2.
using tern::TensorMode;
using Sparsity = TensorSparsity;

constexpr unsigned kSparsityPatterns = TERN_SPARSITY_COUNT;
// M and N of a pattern; N / M planes of moving columns are in every partition.
constexpr unsigned kept(Sparsity sparsity) {
  return kSparsePatterns[static_cast<unsigned>(sparsity)].kept;
}
constexpr unsigned group(Sparsity sparsity) {
  return kSparsePatterns[static_cast<unsigned>(sparsity)].of;
}
constexpr unsigned planes(Sparsity sparsity) {
  return kSparsePatterns[static_cast<unsigned>(sparsity)].planes();
}

// Which half of the significand of FP32 operands a pass multiplies.
enum class Half : std::uint8_t { kLow = 0, kHigh = 1 };

// Of a BF16 result.
enum class Rounding : std::uint8_t {
  kNearest = TERN_ROUNDING_NEAREST,
  kStochastic = TERN_ROUNDING_STOCHASTIC,
};

// The part of the array that a product claims: it begins at `row`, `column` and has `rows` x
// `columns`, each 32, 64 or 128. Products on disjoint parts run at the same time.
struct ArrayTile {
  unsigned row = 0, column = 0;
  unsigned rows = kPartitions, columns = kMaxStationary;
};

// One operand of a product: stationary [K, M] or moving [K, N], K on partitions. A plain tile or
// view is dense; the other kinds have a function each.
struct TensorOperand {
  TensorOperand(const TileView& view) : data(view) {}
  TensorOperand(const Tile& tile) : data(tile) {}

  TileView data;
  TensorMode mode = TensorMode::kDense;
  Half half = Half::kLow;  // fp32
  Sparsity sparsity = Sparsity::k4of16;
  std::optional<TileView> aux;  // scales of mx and quad, tags of a sparse stationary
  unsigned scale_offset = 0;

  // M of a stationary: of a pattern of any dimensions if it is dense.
  unsigned stationary_columns() const {
    return static_cast<unsigned>(mode == TensorMode::kDense ? data.elements() : data.num0);
  }
};

// One half of FP32 operands; nc_matmul() makes the four passes.
TensorOperand fp32_half(const TileView& view, Half half);
// Two planes of FP8, [K, 2, columns]: k = plane * 128 + partition.
TensorOperand double_row(const TileView& planes);
// The kept elements [K, M] and their tags: bytes [K, 2 * ceil(M / 4)], a 4-bit position each.
TensorOperand sparse_stationary(const TileView& kept, const TileView& tags, Sparsity sparsity);
// [K, N/M of the pattern, columns]: k = N/M * partition + plane.
TensorOperand sparse_moving(const TileView& planes, Sparsity sparsity);
// x4 elements and their scales, e8m0 [K, columns] on the same partitions: block i of a quadrant of
// 32 partitions has its scales in partition `offset` + i of it (docs/numerics.md, scales in
// memory).
TensorOperand mx(const TileView& data, const TileView& scales, unsigned offset = 0);
TensorOperand quad(const TileView& data, const TileView& scales, unsigned offset = 0);

struct ProductOptions {
  ProductOptions(bool accumulates = false) : accumulate(accumulates) {}

  bool accumulate;                // add to PSUM instead of overwriting it
  std::optional<ArrayTile> tile;  // without: the whole array
  Rounding rounding = Rounding::kNearest;
};

}  // namespace tern::kernels
