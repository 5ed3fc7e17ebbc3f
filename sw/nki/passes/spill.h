// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "sw/nki/trace/kernel.h"

namespace tern::nki {

// The tensors in SBUF that the compiler places, as the instructions of a kernel use them in order.
struct SbufUse {
  struct Tensor {
    StoragePtr storage;
    std::vector<std::size_t> uses;   // instructions that name it, ascending
    std::vector<std::size_t> loads;  // of them, loads of what nothing in the kernel writes
    bool only_loads = true;          // nothing else writes it
    bool stays = false;              // an operand of an instruction that is moved at run time
    std::int64_t bytes = 0;          // per partition, with what alignment takes
  };
  std::vector<Tensor> tensors;                   // by number here
  std::vector<std::vector<std::size_t>> needed;  // by instruction: its tensors, each once

  explicit SbufUse(const Kernel& kernel);

  // The bytes that live at each instruction.
  std::vector<std::int64_t> live() const;
};

// What remains for tiles on each partition.
std::int64_t space_for_tiles(const Kernel& kernel);

// A transfer that the compiler adds; `name` tells what it is for.
Instruction transfer_of(const View& dst, const View& src, const char* name, const Site* site);

// Loads before a loop whose iterations use more memory than there is are repeated in each of them.
void repeat_loads(Kernel& kernel, std::int64_t bytes);

// Keeps the tiles in SBUF within `bytes` per partition. Where an instruction needs more, the tiles
// whose next use is furthest away leave; those that were computed are stored first. Returns false
// if one instruction alone needs more: the kernel is then unusable.
bool spill_tiles(Kernel& kernel, std::int64_t bytes);

}  // namespace tern::nki
