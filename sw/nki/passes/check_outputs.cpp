// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "sw/nki/passes/passes.h"
#include "sw/nki/passes/region.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

using Bytes = std::vector<bool>;

// Which rows of a table an index names, and where a moved view is, shows when the kernel runs.
bool is_open(const Instruction& instruction, const Operand& operand) {
  return operand.view.moved() != nullptr || instruction.find("dst_index") != nullptr;
}

void add(const Instruction& instruction, const Operand& operand, Bytes* bytes) {
  if (is_open(instruction, operand)) return bytes->assign(bytes->size(), true);
  for (const auto& [begin, end] : footprint(operand.view).runs) {
    std::fill(bytes->begin() + begin, bytes->begin() + end, true);
  }
}

std::string index_text(const Storage& storage, std::int64_t byte) {
  std::int64_t element = byte / storage.type->bytes();
  std::vector<std::int64_t> index(storage.shape.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    index[d] = element % storage.shape[d];
    element /= storage.shape[d];
  }
  return nki::shape_text(index);
}

}  // namespace

void check_outputs(const std::vector<Kernel*>& programs) {
  std::map<std::string, Bytes> written;
  for (const StoragePtr& storage : programs.front()->storages) {
    if (storage->role != Role::kOutput) continue;
    written[storage->name].resize(static_cast<std::size_t>(storage->bytes()));
  }
  for (const Kernel* kernel : programs) {
    for (const Instruction& instruction : kernel->instructions) {
      for (const Operand& operand : instruction.operands) {
        if (!operand.rule->writes() || operand.view.storage().on_chip()) continue;
        const auto found = written.find(operand.view.storage().name);
        if (found != written.end()) add(instruction, operand, &found->second);
      }
    }
  }
  for (const StoragePtr& storage : programs.front()->storages) {
    if (storage->role != Role::kOutput) continue;
    const Bytes& bytes = written[storage->name];
    const auto end = bytes.begin() + storage->returned_end;
    const auto gap = std::find(bytes.begin() + storage->returned_begin, end, false);
    if (gap == end) continue;
    const bool any = std::find(bytes.begin(), bytes.end(), true) != bytes.end();
    throw NkiError("output tensor `" + storage->name + nki::shape_text(storage->shape) +
                       (any ? "` is only partly written: nothing stores element " +
                                  index_text(*storage, gap - bytes.begin())
                            : "` is never written to"),
                   storage->site);
  }
}

}  // namespace tern::nki
