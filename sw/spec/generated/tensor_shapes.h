// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/tensor.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_TENSOR_SHAPES_H
#define TERN_SPEC_TENSOR_SHAPES_H

#include <stdint.h>

// X(name, rows, cols, psum_banks, bank_columns, min_interval, max_moving, command_depth)
#define TERN_TENSOR_SHAPES(X) \
  X(tiny, 32, 16, 8, 16, 4, 128, 16) \
  X(mid, 64, 32, 8, 512, 16, 4096, 16) \
  X(full, 128, 128, 8, 512, 64, 4096, 16) \

// The chip's
#define TERN_TENSOR_ROWS 128u
#define TERN_TENSOR_COLS 128u
#define TERN_TENSOR_PSUM_BANKS 8u
#define TERN_TENSOR_BANK_COLUMNS 512u
#define TERN_TENSOR_MIN_INTERVAL 64u
#define TERN_TENSOR_MAX_MOVING 4096u
#define TERN_TENSOR_COMMAND_DEPTH 16u

#endif
