// SPDX-License-Identifier: Apache-2.0
#include "systemc/memory/near_memory.h"

#include "sw/numerics/near_memory.h"

namespace tern {

namespace {

class NearMemoryModel : public NearMemory {
 public:
  void add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) override {
    if (op == WriteOp::kAddFp32) {
      numerics::add_to_memory_fp32(memory, data, bytes);
    } else {
      numerics::add_to_memory_bf16(memory, data, bytes);
    }
  }
};

}  // namespace

std::unique_ptr<NearMemory> make_near_memory_model() {
  return std::make_unique<NearMemoryModel>();
}

}  // namespace tern
