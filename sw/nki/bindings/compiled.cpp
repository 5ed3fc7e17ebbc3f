// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/bindings/compiled.h"

#include <string_view>

#include "sw/nki/lower/lowering.h"
#include "sw/runtime/program_file.h"

namespace tern::nki {

namespace {

// Loads that are ahead take memory: with less of them ahead, a kernel may fit that does not else.
void run_passes(Kernel& kernel, CompileOptions options) {
  constexpr std::string_view kSchedule = "schedule";
  std::size_t first = 0;
  while (passes()[first].name != kSchedule) {
    passes()[first].run(kernel, options);
    if (options.after) options.after(passes()[first].name, kernel);
    ++first;
  }
  const std::vector<Instruction> in_order = kernel.instructions;
  while (true) {
    try {
      for (std::size_t i = first; i < passes().size(); ++i) {
        passes()[i].run(kernel, options);
        if (options.after) options.after(passes()[i].name, kernel);
      }
      return;
    } catch (const MemoryExhausted&) {
      if (options.prefetch == 0) throw;
      options.prefetch /= 4;
      kernel.instructions = in_order;
    }
  }
}

}  // namespace

Compiled compile(Kernel& kernel, const std::string& preset, const CompileOptions& options) {
  run_passes(kernel, options);
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
  compiled.program = runtime::save_program(file);
  return compiled;
}

}  // namespace tern::nki
