// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/kernel.h"

#include "sw/kernels/builder/memory/limits.h"
#include "sw/nki/trace/checks.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

const Site* Kernel::site(std::vector<Site::Frame> frames) {
  sites_.push_back({std::move(frames)});
  return &sites_.back();
}

StoragePtr Kernel::add(Storage storage) {
  const unsigned used = names_[storage.name]++;
  if (used > 0) storage.name += "." + std::to_string(used);
  storage.id = static_cast<std::uint32_t>(storages.size());
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

void Kernel::record(Instruction instruction) {
  check_operands(instruction, chip_);
  for (const Operand& operand : instruction.operands) {
    Storage& storage = *operand.view.storage_ptr();
    if (!operand.rule->writes() || storage.role != Role::kInput) continue;
    storage.role = Role::kUpdated;
    storage.updated_at = instruction.site;
  }
  instructions.push_back(std::move(instruction));
}

}  // namespace tern::nki
