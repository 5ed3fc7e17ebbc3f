// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "sw/nki/passes/passes.h"

namespace tern::nki {

namespace {

const char* engine_name(const Options& options) {
  static constexpr const char* kNames[] = {"tensor", "vector", "scalar", "gpsimd"};
  return options.engine ? kNames[static_cast<unsigned>(*options.engine)] : "-";
}

std::string view_text(const View& view) {
  std::string text = view.text();
  if (view.offset() != 0 || !view.is_contiguous()) {
    text += " at " + std::to_string(view.offset()) + " by " + nki::shape_text(view.strides());
  }
  if (const View::Moved* moved = view.moved()) {
    text += " moved by " + (moved->reg != 0 ? "r" + std::to_string(moved->reg)
                                            : "`" + moved->word->storage().name + "`");
  }
  if (view.type() != view.storage().type) text += " as " + std::string(view.type()->name);
  return text;
}

std::string storage_text(const Storage& storage) {
  std::string text = "tensor " + storage.name + nki::shape_text(storage.shape) + " " +
                     std::string(storage.type->name) + " " + memory_name(storage.memory);
  if (storage.address) {
    text += " at " + std::to_string(storage.address->partition) + ":" +
            std::to_string(storage.address->byte);
  }
  return text;
}

}  // namespace

std::string print(const Kernel& kernel) {
  std::string text = "kernel " + kernel.name() + "\n";
  for (const StoragePtr& storage : kernel.storages) text += storage_text(*storage) + "\n";
  std::size_t number = 0;
  for (const Instruction& instruction : kernel.instructions) {
    const Options& options = instruction.options;
    text += std::to_string(number++) + " " + instruction.signature->name + " (" +
            engine_name(options) + ")";
    if (!instruction.name.empty()) text += " \"" + instruction.name + "\"";
    for (const Operand& operand : instruction.operands) {
      text += std::string(" ") + operand.rule->role + "=" + view_text(operand.view);
    }
    for (const auto& [what, reg] : {std::pair<const char*, std::uint32_t>{" r", options.reg_dst},
                                    {" by r", options.reg_a},
                                    {" and r", options.reg_b}}) {
      if (reg != 0) text += what + std::to_string(reg);
    }
    if (instruction.is_control()) text += " value " + std::to_string(options.value);
    if (options.descriptors_by_host) text += " by host";
    if (options.descriptors_by_gpsimd) text += " by gpsimd";
    if (options.trigger != Trigger::kAny) {
      text += options.trigger == Trigger::kSync ? " by sync" : " by scalar";
    }
    if (options.accumulate) text += *options.accumulate ? " accumulate" : " overwrite";
    if (instruction.site != nullptr) text += "  # " + instruction.site->text();
    text += "\n";
  }
  return text;
}

}  // namespace tern::nki
