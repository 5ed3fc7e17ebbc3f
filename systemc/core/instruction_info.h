// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/spec/generated/isa.h"
#include "systemc/engines/ports/operation.h"

namespace tern {

const char* queue_name(unsigned queue);

// "opcode 0x99" for an unknown one.
std::string instruction_name(unsigned opcode);
// Bit q: queue q executes it; 0 for an unknown opcode.
unsigned instruction_queues(unsigned opcode);

const char* wait_condition_symbol(unsigned wait_cond);

// Quoted and escaped.
std::string json_string(const std::string& text);

// Key operands of a known instruction as a JSON object, for traces.
std::string instruction_args(const Operation& operation, unsigned index);
inline std::string instruction_args(const tern_instruction_t& instruction, unsigned index) {
  return instruction_args(Operation{instruction, {}}, index);
}

}  // namespace tern
