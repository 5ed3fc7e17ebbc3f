// SPDX-License-Identifier: Apache-2.0
// When and how far tiles leave SBUF; the program as it is written decides, before it is reordered.
#include "sw/nki/passes/spill.h"

#include <algorithm>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/passes/allocation.h"
#include "sw/nki/passes/passes.h"

namespace tern::nki {

namespace {

constexpr std::int64_t kAlignment = 64;  // bytes: as addresses are

// NKI direct allocation guide: of the 192 KiB of a partition the compiler keeps 16.
constexpr std::int64_t kKept = 16 * 1024;

bool is_load(const Instruction& instruction) {
  return std::string_view(instruction.signature->name) == "dma_copy" &&
         instruction.operands.size() == 2 && !instruction.moves() &&
         !instruction.at("src").storage().on_chip();
}

}  // namespace

SbufUse::SbufUse(const Kernel& kernel) : needed(kernel.instructions.size()) {
  std::vector<bool> written(kernel.storages.size());
  for (const Instruction& instruction : kernel.instructions) {
    for (const Operand& operand : instruction.operands) {
      if (operand.rule->writes()) written[operand.view.storage().id] = true;
    }
  }
  std::map<std::uint32_t, std::size_t> numbers;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[i];
    for (const Operand& operand : instruction.operands) {
      const Storage& storage = operand.view.storage();
      if (storage.memory != Memory::kSbuf || storage.address) continue;
      const auto [at, is_new] = numbers.try_emplace(storage.id, tensors.size());
      if (is_new) {
        Tensor tensor;
        tensor.storage = operand.view.storage_ptr();
        tensor.bytes = (storage.partition_bytes() + kAlignment - 1) / kAlignment * kAlignment;
        tensors.push_back(std::move(tensor));
      }
      Tensor& tensor = tensors[at->second];
      tensor.stays = tensor.stays || instruction.moves();
      if (tensor.uses.empty() || tensor.uses.back() != i) {
        tensor.uses.push_back(i);
        needed[i].push_back(at->second);
      }
      if (!operand.rule->writes()) continue;
      if (is_load(instruction) && !written[instruction.at("src").storage().id]) {
        tensor.loads.push_back(i);
      } else {
        tensor.only_loads = false;
      }
    }
  }
}

std::vector<std::int64_t> SbufUse::live() const {
  std::vector<std::int64_t> change(needed.size() + 1);
  for (const Tensor& tensor : tensors) {
    change[tensor.uses.front()] += tensor.bytes;
    change[tensor.uses.back() + 1] -= tensor.bytes;
  }
  for (std::size_t i = 1; i < change.size(); ++i) change[i] += change[i - 1];
  change.pop_back();
  return change;
}

std::int64_t space_for_tiles(const Kernel& kernel) {
  return static_cast<std::int64_t>(kernel.chip().core.sbuf_partition_bytes) - kKept;
}

Instruction transfer_of(const View& dst, const View& src, const char* name, const Site* site) {
  static const Signature& signature = *find_signature("dma_copy");
  Instruction instruction;
  instruction.signature = &signature;
  instruction.operands = {{&signature.operands[0], dst}, {&signature.operands[1], src}};
  instruction.name = name;
  instruction.site = site;
  return instruction;
}

void spill(Kernel& kernel, const CompileOptions& options) {
  if (!options.spill || !kernel.old_style) return;
  for (const Instruction& instruction : kernel.instructions) {
    if (instruction.is_control()) return;  // what a loop on the chip uses lives through it
  }
  for (const StoragePtr& storage : kernel.storages) {
    if (storage->memory == Memory::kSbuf && storage->address) return;  // the author places
  }
  const std::int64_t space = space_for_tiles(kernel);
  const std::vector<std::int64_t> live = SbufUse(kernel).live();
  const std::int64_t most = live.empty() ? 0 : *std::max_element(live.begin(), live.end());
  if (most <= space && memory_fit(kernel, {}) != MemoryFit::kNone) return;

  const std::vector<Instruction> written = kernel.instructions;
  const std::size_t tensors = kernel.storages.size();
  // Gaps between tiles of different sizes may leave some of it unused.
  for (const double part : {1.0, 0.9, 0.75, 0.5}) {
    const auto bytes = static_cast<std::int64_t>(part * static_cast<double>(space));
    repeat_loads(kernel, bytes);
    if (!spill_tiles(kernel, bytes)) break;
    if (memory_fit(kernel, {}) != MemoryFit::kNone) return;
    kernel.instructions = written;
    kernel.storages.resize(tensors);
    kernel.spilled = {};
  }
  kernel.instructions = written;  // allocate tells who holds the memory
  kernel.storages.resize(tensors);
  kernel.spilled = {};
}

}  // namespace tern::nki
