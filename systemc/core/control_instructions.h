// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/instruction/instruction_row.h"

namespace tern {

// nop, halt, and what a sequencer executes itself: extend, register_alu .. loop.
InstructionRows control_instructions();

// extend, register_alu .. loop.
inline bool is_control(unsigned opcode) {
  return opcode >= TERN_OPCODE_EXTEND && opcode <= TERN_OPCODE_LOOP;
}

}  // namespace tern
