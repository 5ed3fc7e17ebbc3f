// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/tensor_modes.h"

// The modes and sparsity patterns of the tensor engine, and what they take (docs/spec/tensor.yaml,
// isa.yaml).
namespace tern {

// What the array does with its operands; the formats each mode takes: rtl/tensor/README.md.
enum class TensorMode : std::uint8_t {
  kDense = TERN_TENSOR_MODE_DENSE,           // of fp32 one half
  kSparse = TERN_TENSOR_MODE_SPARSE,         // stationary with tags, moving in N/M planes
  kDoubleRow = TERN_TENSOR_MODE_DOUBLE_ROW,  // two planes, no scales
  kMx = TERN_TENSOR_MODE_MX,                 // x4 formats, K = 4 * rows
  kQuad = TERN_TENSOR_MODE_QUAD,             // x4 formats, four results per column
};

// x4 formats with scales.
constexpr bool is_mx(TensorMode mode) {
  return mode == TensorMode::kMx || mode == TensorMode::kQuad;
}

// M of every N consecutive k are kept.
enum class TensorSparsity : std::uint8_t {
  k4of16 = TERN_SPARSITY_S4_16,
  k4of12 = TERN_SPARSITY_S4_12,
  k4of8 = TERN_SPARSITY_S4_8,
  k2of8 = TERN_SPARSITY_S2_8,
  k2of4 = TERN_SPARSITY_S2_4,
  k1of4 = TERN_SPARSITY_S1_4,
  k1of2 = TERN_SPARSITY_S1_2,
};

// Formats by their codes, TERN_DTYPE_*.
constexpr bool format_in(std::uint32_t formats, unsigned dtype) {
  return dtype < 32 && (formats >> dtype & 1) != 0;
}

struct TensorModeRules {
  const char* title;
  std::uint32_t formats;
  const char* format_names;   // "bf16 or fp16"
  unsigned row_grain;         // rows and their starts are multiples
  bool tile_rows, tile_cols;  // a product may claim a half or a quarter
};

constexpr TensorModeRules kTensorModes[TERN_TENSOR_MODE_COUNT] = {
#define TERN_MODE(number, name, title, formats, names, row_grain, tile_rows, tile_cols) \
  {title, formats, names, row_grain, tile_rows, tile_cols},
    TERN_TENSOR_MODES(TERN_MODE)
#undef TERN_MODE
};

// False for a mode that does not exist.
constexpr bool tensor_mode_takes(unsigned mode, unsigned dtype) {
  return mode < TERN_TENSOR_MODE_COUNT && format_in(kTensorModes[mode].formats, dtype);
}

// The smallest part of the array's rows, or columns, that a product of the mode may claim.
constexpr unsigned tensor_mode_tile_rows(unsigned mode) {
  return mode < TERN_TENSOR_MODE_COUNT && kTensorModes[mode].tile_rows ? TERN_TILE_SIZE_QUARTER
                                                                       : TERN_TILE_SIZE_WHOLE;
}
constexpr unsigned tensor_mode_tile_cols(unsigned mode) {
  return mode < TERN_TENSOR_MODE_COUNT && kTensorModes[mode].tile_cols ? TERN_TILE_SIZE_QUARTER
                                                                       : TERN_TILE_SIZE_WHOLE;
}

constexpr bool tensor_transpose_takes(unsigned dtype) {
  return format_in(TERN_TENSOR_TRANSPOSE_FORMATS, dtype);
}

// `kept` of every `of` consecutive k; `planes` moving elements meet one stationary row.
struct SparsePattern {
  unsigned kept = 1, of = 1;
  constexpr unsigned planes() const { return of / kept; }
};

constexpr SparsePattern kSparsePatterns[TERN_SPARSITY_COUNT] = {
#define TERN_PATTERN(number, name, kept, of) {kept, of},
    TERN_SPARSITY_PATTERNS(TERN_PATTERN)
#undef TERN_PATTERN
};

}  // namespace tern
