// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "systemc/riscv/hart_config.h"

namespace tern::riscv {

enum class Instruction : std::uint8_t {
#define RISCV_INSTRUCTION(name, match, mask, operands, needs) name,
#include "systemc/riscv/instructions.def"
#undef RISCV_INSTRUCTION
  illegal,
};

constexpr unsigned kInstructions = static_cast<unsigned>(Instruction::illegal) + 1;

// rd of x0 is kSink: writes to it are never read.
constexpr std::uint8_t kSink = 32;

// An instruction taken apart. imm: the immediate; of kCsr the number of the register; of kFloat the
// rounding mode in bits 2:0 and rs3 in bits 12:8; of an illegal instruction its bits.
struct Decoded {
  Instruction instruction = Instruction::illegal;
  std::uint8_t rd = kSink, rs1 = 0, rs2 = 0;
  std::int32_t imm = 0;
};

// `word`: 32 bits.
Decoded decode(std::uint32_t word, const HartConfig& config);

// The 32-bit instruction that a compressed one stands for; 0: illegal.
std::uint32_t expand(std::uint16_t half, const HartConfig& config);

}  // namespace tern::riscv
