// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sw/spec/memory_access.h"

namespace tern {

// Bytes of a word that a write adds to; 1 for a plain store, too.
constexpr unsigned word_bytes(WriteOp op) {
  return op == WriteOp::kAddFp32 ? 4 : op == WriteOp::kAddBf16 ? 2 : 1;
}

// The adders next to a memory (docs/numerics.md, "DMA").
class NearMemory {
 public:
  virtual ~NearMemory() = default;
  // memory = round(memory + data), word by word; op is not kStore, bytes a whole number of words.
  virtual void add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data,
                   std::size_t bytes) = 0;
};

// The fast model: the bits of sw/numerics/near_memory.h.
std::unique_ptr<NearMemory> make_near_memory_model();

}  // namespace tern
