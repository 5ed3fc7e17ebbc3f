// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "systemc/core/scalar_registers.h"
#include "systemc/engines/instruction/instruction_fault.h"
#include "systemc/engines/ports/operation.h"

namespace tern {

// Adds the registers that operation.extension names to the addresses, the length and the wait value
// of operation.instruction, and clears their fields. The other parts of the extension remain for
// the engine. Fails where a sum leaves its field (bad_access_pattern, byte in the instruction) or
// where the instruction has no such operand (illegal_field, byte in the extension plus 64).
std::optional<InstructionFault> resolve_registers(Operation& operation,
                                                  const ScalarRegisters& registers);

}  // namespace tern
