// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sw/config/chip_config.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/isa.h"
#include "systemc/engines/ports/operation.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// What a chip offers to an instruction.
struct CoreLimits {
  std::uint64_t sbuf_bytes = 256 * 1024;  // per partition
  std::uint64_t psum_bytes = TERN_CORE_PSUM_STRIDE;
  std::uint64_t psum_bank_bytes = TensorShape().bank_columns * sizeof(float);
  TensorFeatures tensor;
  unsigned exp_per_cycle = 4;  // 0: no exponential instruction
  ScalarFeatures scalar = {};
};

// Why a queue refuses an instruction. Detail: the opcode for illegal_opcode, else the byte of the
// first wrong field; 64 more for a field of the extension.
struct InstructionFault {
  unsigned code = TERN_ERROR_NONE;
  std::uint32_t detail = 0;
};

// Everything that can be said about an instruction and its extension without executing it. The
// fields of `extend` that name registers are its sequencer's.
std::optional<InstructionFault> check_instruction(const Operation& operation, unsigned queue,
                                                  const CoreLimits& limits);

// The same without an extension.
inline std::optional<InstructionFault> check_instruction(const tern_instruction_t& instruction,
                                                         unsigned queue, const CoreLimits& limits) {
  return check_instruction(Operation{instruction, {}}, queue, limits);
}

}  // namespace tern
