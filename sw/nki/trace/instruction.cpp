// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/instruction.h"

#include <algorithm>

#include <stdexcept>
#include <string_view>

namespace tern::nki {

bool Instruction::exchanges() const {
  const std::string_view function = signature->name;
  return function == "sendrecv" || function == "core_barrier" || function == "collective";
}

bool Instruction::moves() const {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Operand& operand) { return operand.view.moved() != nullptr; });
}

void Instruction::add_offsets() {
  static const OperandRule kOffset{"offset", Access::kRead, kInSbuf, Fit::kFree, true};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const View::Moved* moved = operands[i].view.moved();
    if (moved != nullptr && moved->word) operands.emplace_back(&kOffset, View(*moved->word));
  }
}

const View* Instruction::find(const char* role) const {
  for (const Operand& operand : operands) {
    if (std::string_view(operand.rule->role) == role) return &operand.view;
  }
  return nullptr;
}

const View& Instruction::at(const char* role) const {
  const View* view = find(role);
  if (view == nullptr) {
    throw std::logic_error(std::string(signature->name) + " has no operand " + role);
  }
  return *view;
}

void Instruction::replace(const char* role, const View& view) {
  for (Operand& operand : operands) {
    if (std::string_view(operand.rule->role) == role) operand.view = view;
  }
}

}  // namespace tern::nki
