// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "systemc/engines/instruction/instruction_table.h"

namespace tern {

// Every family of instructions of a core, and all their rows by opcode: one for each instruction of
// docs/spec/isa.yaml.
const std::vector<InstructionRows>& instruction_families();
const InstructionTable& instruction_table();

}  // namespace tern
