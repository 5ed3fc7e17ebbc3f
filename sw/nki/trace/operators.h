// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sw/nki/trace/instruction.h"

// Operators, functions and engines by their NKI names. Throw NkiError for a name that is none.
namespace tern::nki {

Alu alu_from(std::string_view name);
Activation activation_from(std::string_view name);
// None for "unknown".
std::optional<Engine> engine_from(std::string_view name);

}  // namespace tern::nki
