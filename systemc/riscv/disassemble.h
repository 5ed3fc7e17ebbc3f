// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "systemc/riscv/hart_config.h"

namespace tern::riscv {

// An instruction as text, as it is written without abbreviations: "addi sp,sp,-16". Of a compressed
// one, the instruction that it stands for. "illegal" if the hart does not have it.
// word: the lower half counts for a compressed instruction.
std::string disassemble(std::uint32_t word, std::uint64_t pc, const HartConfig& config);

}  // namespace tern::riscv
