// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sw/numerics/near_memory.h"
#include "sw/spec/memory_access.h"

namespace tern::hbm {

// Bytes of one element; 1 for a plain store.
constexpr std::size_t element_bytes(WriteOp op) {
  return op == WriteOp::kAddFp32 ? 4 : op == WriteOp::kAddBf16 ? 2 : 1;
}

// memory = memory op data; `bytes` is a whole number of elements.
inline void accumulate(WriteOp op, std::uint8_t* memory, const std::uint8_t* data,
                       std::size_t bytes) {
  switch (op) {
    case WriteOp::kStore:
      std::memcpy(memory, data, bytes);
      break;
    case WriteOp::kAddFp32:
      numerics::add_to_memory_fp32(memory, data, bytes);
      break;
    case WriteOp::kAddBf16:
      numerics::add_to_memory_bf16(memory, data, bytes);
      break;
  }
}

}  // namespace tern::hbm
