// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/engines/instruction/instruction_row.h"

namespace tern {

// load_stationary, multiply_moving, transpose.
InstructionRows tensor_instructions();

}  // namespace tern
