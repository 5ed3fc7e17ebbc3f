// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/instruction_registry.h"

#include "systemc/core/control_instructions.h"
#include "systemc/core/program_instructions.h"
#include "systemc/core/transfer_instructions.h"
#include "systemc/engines/tensor/tensor_instructions.h"
#include "systemc/engines/vector/instruction_families.h"

namespace tern {

const std::vector<InstructionRows>& instruction_families() {
  static const std::vector<InstructionRows> families = [] {
    std::vector<InstructionRows> all = {control_instructions(), transfer_instructions(),
                                        program_instructions(), tensor_instructions()};
    all.insert(all.end(), vector_families().begin(), vector_families().end());
    return all;
  }();
  return families;
}

const InstructionTable& instruction_table() {
  static const InstructionTable table(instruction_families());
  return table;
}

}  // namespace tern
