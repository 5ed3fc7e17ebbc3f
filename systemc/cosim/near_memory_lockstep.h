// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "systemc/memory/near_memory.h"

namespace tern {

// Adds with two implementations, the reference first, and stops with a RunError at the first word
// that differs. Results are those of the second one.
class NearMemoryLockstep : public NearMemory {
 public:
  NearMemoryLockstep(std::unique_ptr<NearMemory> reference, std::unique_ptr<NearMemory> device);
  void add(WriteOp op, std::uint8_t* memory, const std::uint8_t* data, std::size_t bytes) override;

 private:
  std::unique_ptr<NearMemory> reference_, device_;
  std::vector<std::uint8_t> before_, expected_;
};

}  // namespace tern
