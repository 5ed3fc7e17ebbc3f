// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/bindings/compiled.h"

#include <utility>

#include "sw/nki/lower/lowering.h"
#include "sw/runtime/program_file.h"

namespace tern::nki {

Compiled compile(Kernel& kernel, const std::string& preset, const CompileOptions& options) {
  for (const Pass& pass : passes()) {
    pass.run(kernel, options);
    if (options.after) options.after(pass.name, kernel);
  }
  runtime::ProgramFile file;
  file.chip = preset;
  file.parts.push_back(Lowering(kernel).run());
  Compiled compiled;
  compiled.chip = preset;
  for (const auto& queue : file.parts.front().queues) compiled.instructions.push_back(queue.size());
  for (const StoragePtr& storage : kernel.storages) {
    if (storage->on_chip() || storage->role == Role::kScratch) continue;
    compiled.tensors.push_back(
        {storage->name, storage->role, std::string(storage->type->name), storage->shape});
  }
  kernel.instructions = {};
  compiled.program = runtime::save_program(std::move(file));
  return compiled;
}

}  // namespace tern::nki
