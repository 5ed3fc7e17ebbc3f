// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_info.h"

#include <fmt/format.h>

#include "sw/spec/queues.h"
#include "systemc/core/instruction_registry.h"
#include "systemc/engines/instruction/instruction_set.h"

namespace tern {

const char* queue_name(unsigned queue) {
  return queue < TERN_QUEUE_COUNT ? kQueueNames[queue] : "?";
}

std::string instruction_name(unsigned opcode) {
  const char* name = instruction_spec(opcode).name;
  return name != nullptr ? name : fmt::format("opcode {:#04x}", opcode);
}

unsigned instruction_queues(unsigned opcode) {
  return instruction_spec(opcode).queues;
}

const char* wait_condition_symbol(unsigned wait_cond) {
  static constexpr const char* kSymbols[] = {"any", "==", "!=", ">=", ">", "<=", "<", "=="};
  return wait_cond < 8 ? kSymbols[wait_cond] : "?";
}

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", c);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string instruction_args(const Operation& operation, unsigned index) {
  return instruction_table().find(operation.opcode())->describe(operation, index);
}

}  // namespace tern
