// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/spec/generated/isa.h"

namespace tern::runtime {

// Which instructions of a program a queue may still execute when it is at `pc`: element i for
// instruction i. Follows branches both ways and loops as if each iterated once more.
std::vector<bool> still_ahead(const std::vector<tern_instruction_t>& program, std::uint32_t pc);

// Index of a branch that leads into the body of a loop, which a sequencer cannot detect; none if
// is no such branch.
std::optional<std::uint32_t> branch_into_loop(const std::vector<tern_instruction_t>& program);

}  // namespace tern::runtime
