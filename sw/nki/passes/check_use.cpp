// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include "sw/nki/passes/passes.h"
#include "sw/nki/passes/region.h"
#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

namespace {

bool written_by_host(const Storage& storage) {
  return storage.role == Role::kInput || storage.role == Role::kUpdated ||
         storage.role == Role::kConstant;
}

void check_read(const Instruction& instruction, const Operand& operand, const Region& written) {
  if (written.contains_all(footprint(operand.view))) return;
  const bool any = written.contains_any(footprint(operand.view));
  throw NkiError("operand '" + std::string(operand.rule->role) + "' of '" +
                     instruction.signature->name + "' reads tensor `" + operand.view.text() +
                     "`, which is " + (any ? "only partly written" : "never written before"),
                 instruction.site);
}

// Adding to memory that nothing has written.
void check_sum(const Instruction& instruction, const Operand& operand, const Region& written) {
  if (instruction.options.accumulate != true) return;
  if (written.contains_all(footprint(operand.view))) return;
  throw NkiError("nc_matmul accumulates into `" + operand.view.text() +
                     "`, which no instruction has overwritten before",
                 instruction.site);
}

}  // namespace

void check_use(Kernel& kernel, const CompileOptions& options) {
  if (!options.check_use) return;
  std::vector<Region> written(kernel.storages.size());
  for (const Instruction& instruction : kernel.instructions) {
    for (const Operand& operand : instruction.operands) {
      const Storage& storage = operand.view.storage();
      if (written_by_host(storage)) continue;
      const Region& region = written[storage.id];
      if (operand.rule->access == Access::kRead) check_read(instruction, operand, region);
      if (operand.rule->access == Access::kUpdate) check_sum(instruction, operand, region);
    }
    for (const Operand& operand : instruction.operands) {
      const Storage& storage = operand.view.storage();
      if (operand.rule->writes() && !written_by_host(storage)) {
        written[storage.id].add(footprint(operand.view));
      }
    }
  }
  for (const StoragePtr& storage : kernel.storages) {
    if (storage->role != Role::kOutput || !written[storage->id].empty()) continue;
    throw NkiError("output tensor `" + storage->name + nki::shape_text(storage->shape) +
                       "` is never written to",
                   storage->site);
  }
}

}  // namespace tern::nki
