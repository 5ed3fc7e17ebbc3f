// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/formats.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_FORMATS_H
#define TERN_SPEC_FORMATS_H

#include <stdint.h>

enum {
  TERN_DTYPE_NONE = 0,
  TERN_DTYPE_UINT8 = 3,
  TERN_DTYPE_BF16 = 6,
  TERN_DTYPE_FP16 = 7,
  TERN_DTYPE_INT32 = 8,
  TERN_DTYPE_UINT32 = 9,
  TERN_DTYPE_FP32 = 10,
};

// All formats: X(code, name, bytes)
#define TERN_DTYPES(X) \
  X(0, none, 0) \
  X(3, uint8, 1) \
  X(6, bf16, 2) \
  X(7, fp16, 2) \
  X(8, int32, 4) \
  X(9, uint32, 4) \
  X(10, fp32, 4) \

#endif
