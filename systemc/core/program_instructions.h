// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/instruction/instruction_row.h"

namespace tern {

// custom_op, and the two instructions between cores, which are not modelled.
InstructionRows program_instructions();

}  // namespace tern
