// SPDX-License-Identifier: Apache-2.0
#include "systemc/memory/near_memory.h"

#include "sw/numerics/near_memory.h"

namespace tern {

namespace {

class NearMemoryModel : public NearMemory {
 public:
  void add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) override {
    switch (op) {
      case WriteOp::kAddFp32:
        return numerics::add_to_memory_fp32(memory, data, bytes);
      case WriteOp::kAddBf16:
        return numerics::add_to_memory_bf16(memory, data, bytes);
      case WriteOp::kAddFp8:
        return numerics::add_to_memory_fp8(memory, data, bytes);
      case WriteOp::kStore:
        break;
    }
  }
};

}  // namespace

std::unique_ptr<NearMemory> make_near_memory_model() {
  return std::make_unique<NearMemoryModel>();
}

}  // namespace tern
