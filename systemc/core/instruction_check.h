// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "systemc/engines/instruction/core_limits.h"
#include "systemc/engines/instruction/instruction_fault.h"
#include "systemc/engines/ports/operation.h"

namespace tern {

// All checks of an instruction and its extension that need no execution. The fields of `extend`
// that name registers are left to its sequencer.
std::optional<InstructionFault> check_instruction(const Operation& operation, unsigned queue,
                                                  const CoreLimits& limits);

// The same without an extension.
inline std::optional<InstructionFault> check_instruction(const tern_instruction_t& instruction,
                                                         unsigned queue, const CoreLimits& limits) {
  return check_instruction(Operation{instruction, {}}, queue, limits);
}

}  // namespace tern
