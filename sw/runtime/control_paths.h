// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/spec/generated/isa.h"

namespace tern::runtime {

// Which instructions of a program a queue may still execute when it stands at `pc`: element i for
// instruction i. Follows branches both ways and loops as if each turned once more.
std::vector<bool> still_ahead(const std::vector<tern_instruction_t>& program, std::uint32_t pc);

}  // namespace tern::runtime
