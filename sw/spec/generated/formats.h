// SPDX-License-Identifier: Apache-2.0
// Generated from docs/spec/formats.yaml by tern_spec_gen: do not edit.
// Plain C11, also valid C++17.
#ifndef TERN_SPEC_FORMATS_H
#define TERN_SPEC_FORMATS_H

#include <stdint.h>

enum {
  TERN_DTYPE_NONE = 0,
  TERN_DTYPE_INT8 = 2,
  TERN_DTYPE_UINT8 = 3,
  TERN_DTYPE_INT16 = 4,
  TERN_DTYPE_UINT16 = 5,
  TERN_DTYPE_BF16 = 6,
  TERN_DTYPE_FP16 = 7,
  TERN_DTYPE_INT32 = 8,
  TERN_DTYPE_UINT32 = 9,
  TERN_DTYPE_FP32 = 10,
  TERN_DTYPE_TF32 = 11,
  TERN_DTYPE_E4M3 = 14,
  TERN_DTYPE_E5M2 = 15,
  TERN_DTYPE_E4M3FN = 16,
  TERN_DTYPE_E2M1 = 17,
  TERN_DTYPE_E8M0 = 18,
  TERN_DTYPE_E4M3FN_X4 = 20,
  TERN_DTYPE_E5M2_X4 = 21,
  TERN_DTYPE_E2M1_X4 = 22,
};

// All formats: X(code, name, bytes)
#define TERN_DTYPES(X) \
  X(0, none, 0) \
  X(2, int8, 1) \
  X(3, uint8, 1) \
  X(4, int16, 2) \
  X(5, uint16, 2) \
  X(6, bf16, 2) \
  X(7, fp16, 2) \
  X(8, int32, 4) \
  X(9, uint32, 4) \
  X(10, fp32, 4) \
  X(11, tf32, 4) \
  X(14, e4m3, 1) \
  X(15, e5m2, 1) \
  X(16, e4m3fn, 1) \
  X(17, e2m1, 0) \
  X(18, e8m0, 1) \
  X(20, e4m3fn_x4, 4) \
  X(21, e5m2_x4, 4) \
  X(22, e2m1_x4, 2) \

#endif
