// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/kernel.h"

#include <string_view>

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/trace/checks.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

const Site* Kernel::site(std::vector<Site::Frame> frames) {
  sites_.push_back({std::move(frames)});
  return &sites_.back();
}

StoragePtr Kernel::add(Storage storage) {
  const std::string name = storage.name;
  while (true) {  // the author may have given one that would be made here
    const unsigned used = names_[name]++;
    storage.name = used > 0 ? name + "." + std::to_string(used) : name;
    if (used == 0 || names_.count(storage.name) == 0) break;
  }
  names_.emplace(storage.name, 1);
  storage.id = static_cast<std::uint32_t>(storages.size());
  if (!open_loops.empty()) storage.loop = open_loops.back();
  storages.push_back(std::make_shared<Storage>(std::move(storage)));
  return storages.back();
}

StoragePtr Kernel::add_hbm(const std::string& name, Role role, const ElementType* type,
                           std::vector<std::int64_t> shape, const Site* site) {
  Storage storage;
  storage.name = name.empty() ? "t" + std::to_string(storages.size()) : name;
  storage.memory = Memory::kHbm;
  storage.role = role;
  storage.type = type;
  storage.shape = std::move(shape);
  storage.site = site;
  if (storage.shape.empty()) storage.shape = {1};
  check_shape(storage);
  check_hbm(storage, hbm_bytes_, chip_);
  hbm_bytes_ += storage.bytes();
  return add(std::move(storage));
}

StoragePtr Kernel::add_on_chip(const std::string& name, Memory memory, const ElementType* type,
                               std::vector<std::int64_t> shape, std::optional<ChipAddress> address,
                               const Site* site) {
  Storage storage;
  storage.name = name.empty() ? "t" + std::to_string(storages.size()) : name;
  storage.memory = memory;
  storage.type = type;
  storage.shape = std::move(shape);
  storage.address = address;
  storage.site = site;
  if (storage.shape.size() == 1) storage.shape.push_back(1);
  check_shape(storage);
  check_place(storage, chip_);
  return add(std::move(storage));
}

unsigned Kernel::begin_iteration(unsigned outer) {
  outer_iterations.push_back(outer);
  iteration = static_cast<unsigned>(outer_iterations.size());
  return iteration;
}

bool Kernel::is_inside(unsigned loop, unsigned outer) const {
  while (loop != 0 && loop != outer) loop = outer_loops[loop - 1];
  return loop == outer;
}

void Kernel::check_tensor(const Operand& operand, unsigned loop) const {
  const Storage& storage = operand.view.storage();
  if (storage.id >= storages.size() || storages[storage.id] != operand.view.storage_ptr()) {
    throw NkiError("tensor `" + operand.view.text() +
                   "` belongs to another kernel, or to another call of this one");
  }
  if (storage.loop == 0 || !storage.on_chip() || is_inside(loop, storage.loop)) return;
  throw NkiError("tensor `" + operand.view.text() +
                 "` is made in the body of a dynamic loop, which has ended: it keeps nothing; make "
                 "it before the loop and write into it");
}

void Kernel::record(Instruction instruction) {
  const std::string_view name = instruction.signature->name;
  if (name == "loop_begin") {
    outer_loops.push_back(open_loops.empty() ? 0 : open_loops.back());
    open_loops.push_back(static_cast<unsigned>(outer_loops.size()));
    instruction.loop = open_loops.back();
  } else {
    instruction.loop = open_loops.empty() ? 0 : open_loops.back();
    if (name == "loop_end") open_loops.pop_back();
  }
  instruction.iteration = iteration;
  instruction.add_offsets();
  for (const Operand& operand : instruction.operands) check_tensor(operand, instruction.loop);
  check_operands(instruction, chip_);
  for (const Operand& operand : instruction.operands) {
    if (name == "core_barrier") break;
    Storage& storage = *operand.view.storage_ptr();
    if (!operand.rule->writes() || storage.role != Role::kInput) continue;
    storage.role = Role::kUpdated;
    storage.updated_at = instruction.site;
  }
  instructions.push_back(std::move(instruction));
  instructions.back().call = static_cast<std::uint32_t>(instructions.size());
}

}  // namespace tern::nki
