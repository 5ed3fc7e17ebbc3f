// SPDX-License-Identifier: Apache-2.0
// A memset whose every byte is overwritten before anything reads it does nothing: kernels clear
// PSUM tiles whose first product overwrites them.
#include <algorithm>
#include <string_view>
#include <vector>

#include "sw/nki/passes/passes.h"
#include "sw/nki/passes/region.h"

namespace tern::nki {

namespace {

// Whether an instruction uses, or keeps, what an operand of it had before: rows may be left out.
bool reads(const Instruction& instruction, const Operand& operand) {
  if (instruction.options.skip_out_of_bounds) return true;
  if (operand.rule->access != Access::kUpdate) return operand.rule->reads();
  return instruction.options.accumulate != false;
}

// `uses`: the instructions after it that name its tensor, the last first.
bool is_dead(const Instruction& memset, const std::vector<const Instruction*>& uses) {
  const View& view = memset.at("dst");
  // The next iteration, or what follows a loop without any, may read it.
  if (view.moved() != nullptr || view.storage().loop != memset.loop) return false;
  const Footprint bytes = footprint(view);
  Region left;
  left.add(bytes);
  for (auto at = uses.rbegin(); at != uses.rend(); ++at) {
    const Instruction* use = *at;
    if (use->moves() || use->loop != memset.loop) return false;
    for (const Operand& operand : use->operands) {
      if (operand.view.storage_ptr() != view.storage_ptr() || !reads(*use, operand)) continue;
      if (left.contains_any(footprint(operand.view))) return false;
    }
    for (const Operand& operand : use->operands) {
      if (operand.view.storage_ptr() != view.storage_ptr() || !operand.rule->writes()) continue;
      left.remove(footprint(operand.view));
    }
    if (!left.contains_any(bytes)) return true;
  }
  return view.storage().on_chip() && !view.storage().address;
}

}  // namespace

void drop_dead(Kernel& kernel, const CompileOptions& /*options*/) {
  std::vector<std::vector<const Instruction*>> later(kernel.storages.size());  // by storage
  std::vector<bool> dead(kernel.instructions.size(), false);
  for (std::size_t i = kernel.instructions.size(); i-- > 0;) {
    const Instruction& instruction = kernel.instructions[i];
    if (std::string_view(instruction.signature->name) == "memset") {
      // Tensors that the author has placed may share their bytes with others.
      const View& dst = instruction.at("dst");
      const std::vector<const Instruction*>& after = later[dst.storage().id];
      dead[i] = !dst.storage().address && is_dead(instruction, after);
      if (dead[i]) continue;
    }
    for (const Operand& operand : instruction.operands) {
      std::vector<const Instruction*>& after = later[operand.view.storage().id];
      if (after.empty() || after.back() != &instruction) after.push_back(&instruction);
    }
  }
  std::vector<Instruction> kept;
  for (std::size_t i = 0; i < dead.size(); ++i) {
    if (!dead[i]) kept.push_back(std::move(kernel.instructions[i]));
  }
  kernel.instructions = std::move(kept);
}

}  // namespace tern::nki
