// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/{tensor,isa,formats}.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_TENSOR_MODES_H
#define TERN_SPEC_TENSOR_MODES_H

#include <stdint.h>

// Modes: X(number, name, title, formats, names of the formats, row_grain, tile rows,
// tile columns); formats: bit `dtype code` for each
#define TERN_TENSOR_MODES(X) \
  X(0, dense, "dense", 0x000cc0u, "bf16, fp16, tf32 or fp32", 1u, true, true) \
  X(1, sparse, "sparse", 0x0000c0u, "bf16 or fp16", 1u, false, false) \
  X(2, double_row, "double-row", 0x01c000u, "e4m3, e4m3fn or e5m2", 8u, true, false) \
  X(3, mx, "MX", 0x700000u, "e4m3fn_x4, e5m2_x4 or e2m1_x4", 32u, true, false) \
  X(4, quad, "quad", 0x700000u, "e4m3fn_x4, e5m2_x4 or e2m1_x4", 32u, false, false) \

#define TERN_TENSOR_TRANSPOSE_FORMATS 0x01ccc0u
// operands of load_stationary and transpose that load four columns a cycle
#define TERN_TENSOR_ALIGN_STATIONARY 8u
// distance of the planes of a stationary operand
#define TERN_TENSOR_ALIGN_STATIONARY_PLANE 4u
// distance of the planes of a moving operand
#define TERN_TENSOR_ALIGN_MOVING_PLANE 2u
// scales of a stationary operand
#define TERN_TENSOR_ALIGN_SCALES 4u
// tags of a sparse stationary operand
#define TERN_TENSOR_ALIGN_TAGS 2u

#endif
