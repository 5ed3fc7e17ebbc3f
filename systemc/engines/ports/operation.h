// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/isa.h"

namespace tern {

// What a sequencer hands to its engine: an instruction and the `extend` in front of it (all zero if
// there was none). Registers have been resolved: addresses, lengths and the wait value are final,
// the *_reg fields are zero.
struct Operation {
  tern_instruction_t instruction{};
  tern_instr_extend_t extension{};
  bool dynamic_address = false;  // a register took part in the address of an operand
  // Running number of the queue's executed instructions: distinguishes iterations of a loop.
  std::uint64_t sequence = 0;
  unsigned opcode() const { return instruction.header.opcode; }
};

}  // namespace tern
