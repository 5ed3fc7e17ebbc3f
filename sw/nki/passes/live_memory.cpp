// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/live_memory.h"

#include <algorithm>

#include "sw/kernels/builder/memory/limits.h"

namespace tern::nki {

// Each tensor on chip without an address, once.
template <typename Function>
void LiveMemory::each_storage(const Instruction& instruction, Function function) {
  const auto& operands = instruction.operands;
  for (auto operand = operands.begin(); operand != operands.end(); ++operand) {
    const Storage& storage = operand->view.storage();
    if (!storage.on_chip() || storage.address) continue;
    const bool again = std::any_of(operands.begin(), operand, [&](const Operand& other) {
      return &other.view.storage() == &storage;
    });
    if (!again) function(storage);
  }
}

LiveMemory::LiveMemory(const Kernel& kernel) : uses_(kernel.storages.size()) {
  bytes_ = {static_cast<std::int64_t>(kernel.chip().core.sbuf_partition_bytes),
            std::int64_t{kernels::kPsumPartitionBytes}};
  std::array<std::int64_t, 2> first = bytes_, end{};
  for (const StoragePtr& storage : kernel.storages) {
    if (!storage->on_chip() || !storage->address) continue;
    const auto memory = static_cast<std::size_t>(storage->memory);
    const std::int64_t byte = storage->address->byte;
    first[memory] = std::min(first[memory], byte);
    end[memory] = std::max(end[memory], byte + storage->partition_bytes());
  }
  for (std::size_t memory = 0; memory < bytes_.size(); ++memory) {
    bytes_[memory] -= std::max<std::int64_t>(0, end[memory] - first[memory]);
  }
  for (const Instruction& instruction : kernel.instructions) {
    each_storage(instruction, [&](const Storage& storage) { ++uses_[storage.id].instructions; });
  }
  const std::vector<Use> uses = uses_;
  std::int64_t most = 0;
  for (const Instruction& instruction : kernel.instructions) {
    take(instruction);
    most = std::max(most, held_[0]);
  }
  most_ = static_cast<double>(most) / static_cast<double>(std::max<std::int64_t>(1, bytes_[0]));
  uses_ = uses;
  held_ = {};
}

bool LiveMemory::has_room(const Instruction& instruction, double part) const {
  std::array<std::int64_t, 2> more{};
  each_storage(instruction, [&](const Storage& storage) {
    if (!uses_[storage.id].begun) {
      more[static_cast<std::size_t>(storage.memory)] += storage.partition_bytes();
    }
  });
  for (std::size_t memory = 0; memory < bytes_.size(); ++memory) {
    const double room = part * static_cast<double>(bytes_[memory]);
    if (more[memory] > 0 && static_cast<double>(held_[memory] + more[memory]) > room) return false;
  }
  return true;
}

void LiveMemory::take(const Instruction& instruction) {
  each_storage(instruction, [&](const Storage& storage) {
    Use& use = uses_[storage.id];
    std::int64_t& held = held_[static_cast<std::size_t>(storage.memory)];
    if (!use.begun) held += storage.partition_bytes();
    use.begun = true;
    if (--use.instructions == 0) held -= storage.partition_bytes();
  });
}

}  // namespace tern::nki
