// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sw/spec/generated/isa.h"
#include "systemc/config/chip_config.h"

namespace tern {

// What a chip offers to an instruction.
struct CoreLimits {
  std::uint64_t sbuf_bytes = 256 * 1024;  // per partition
  std::uint64_t psum_bytes = 16 * 1024;
  std::uint64_t psum_bank_bytes = 2 * 1024;
  TensorFeatures tensor;
};

// Why a queue refuses an instruction. Detail: the opcode for illegal_opcode, else the byte of the
// first wrong field.
struct InstructionFault {
  unsigned code = TERN_ERROR_NONE;
  std::uint32_t detail = 0;
};

// Everything that can be said about an instruction without executing it.
std::optional<InstructionFault> check_instruction(const tern_instruction_t& instruction,
                                                  unsigned queue, const CoreLimits& limits);

}  // namespace tern
