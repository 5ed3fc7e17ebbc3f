// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/instruction.h"

#include <stdexcept>
#include <string_view>

namespace tern::nki {

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
