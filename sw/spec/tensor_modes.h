// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/tensor_modes.h"

// What the modes and sparsity patterns of the tensor engine take (docs/spec/tensor.yaml, isa.yaml).
namespace tern {

// Formats by their codes, TERN_DTYPE_*.
constexpr bool format_in(std::uint32_t formats, unsigned dtype) {
  return dtype < 32 && (formats >> dtype & 1) != 0;
}

struct TensorModeRules {
  const char* title;
  std::uint32_t formats;
  const char* format_names;  // "bf16 or fp16"
  unsigned row_grain;        // rows and their starts are multiples
};

constexpr TensorModeRules kTensorModes[TERN_TENSOR_MODE_COUNT] = {
#define TERN_MODE(number, name, title, formats, names, row_grain) \
  {title, formats, names, row_grain},
    TERN_TENSOR_MODES(TERN_MODE)
#undef TERN_MODE
};

// False for a mode that does not exist.
constexpr bool tensor_mode_takes(unsigned mode, unsigned dtype) {
  return mode < TERN_TENSOR_MODE_COUNT && format_in(kTensorModes[mode].formats, dtype);
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
