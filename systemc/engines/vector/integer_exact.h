// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spec/generated/formats.h"
#include "sw/spec/generated/isa.h"

namespace tern {

// GpSimd adds, subtracts and multiplies tiles of 32-bit integers exactly, modulo 2^32; all other
// operations use FP32.
inline bool is_exact_integer(const tern_instr_elementwise_t& in, unsigned queue) {
  const bool integer = in.dst_dtype == TERN_DTYPE_INT32 || in.dst_dtype == TERN_DTYPE_UINT32;
  return queue == TERN_QUEUE_GPSIMD && integer && in.src0_dtype == in.dst_dtype &&
         in.src1_dtype == in.dst_dtype &&
         (in.op0 == TERN_ALU_OP_ADD || in.op0 == TERN_ALU_OP_SUBTRACT ||
          in.op0 == TERN_ALU_OP_MULTIPLY);
}

}  // namespace tern
