// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/tensor.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_TENSOR_SHAPES_H
#define TERN_SPEC_TENSOR_SHAPES_H

#include <stdint.h>

// X(name, rows, cols, psum_banks, bank_columns, min_interval, max_moving, command_depth, stages)
#define TERN_TENSOR_SHAPES(X) \
  X(tiny, 32, 16, 8, 16, 4, 128, 16, 1) \
  X(tiny_stages3, 32, 16, 8, 16, 16, 128, 16, 3) \
  X(tiny_stages5, 32, 16, 8, 16, 16, 128, 16, 5) \
  X(mid, 64, 32, 8, 512, 16, 4096, 16, 1) \
  X(full, 128, 128, 8, 512, 64, 4096, 16, 1) \
  X(full_stages3, 128, 128, 8, 512, 64, 4096, 16, 3) \
  X(full_stages5, 128, 128, 8, 512, 64, 4096, 16, 5) \

// The chip's
#define TERN_TENSOR_ROWS 128u
#define TERN_TENSOR_COLS 128u
#define TERN_TENSOR_PSUM_BANKS 8u
#define TERN_TENSOR_BANK_COLUMNS 512u
#define TERN_TENSOR_MIN_INTERVAL 64u
#define TERN_TENSOR_MAX_MOVING 4096u
#define TERN_TENSOR_COMMAND_DEPTH 16u
#define TERN_TENSOR_STAGES 1u

#endif
