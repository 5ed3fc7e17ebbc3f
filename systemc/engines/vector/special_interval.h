// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "systemc/engines/ports/operation.h"

namespace tern {

// Cycles for which one of the instructions of special_instructions.h occupies its engine, without
// the engine's least interval: the formulas of systemc/engines/README.md. None for other opcodes.
std::optional<std::uint64_t> special_cycles(const Operation& operation, unsigned queue);

}  // namespace tern
