// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/spec/generated/isa.h"

namespace tern {

// The fields after the header of an instruction: the formats of docs/spec/isa.yaml.
enum class InstructionBody : std::uint8_t {
  none,
  dma_trigger,
  extend,
  register_alu,
  register_memory,
  branch,
  loop,
  dma_copy,
  dma_indirect,
  load_stationary,
  multiply_moving,
  transpose,
  elementwise,
  shuffle,
  affine,
  custom_op,
};

// The entry of an opcode in docs/spec/isa.yaml.
struct InstructionSpec {
  const char* name = nullptr;  // null: there is no such instruction
  unsigned queues = 0;         // bit q: queue q executes it
  InstructionBody body = InstructionBody::none;
};

constexpr std::array<InstructionSpec, 256> make_instruction_set() {
  std::array<InstructionSpec, 256> set{};
#define TERN_SPEC(opcode, name, queues, format) \
  set[opcode] = {#name, queues, InstructionBody::format};
  TERN_INSTRUCTIONS(TERN_SPEC)
#undef TERN_SPEC
  return set;
}

inline constexpr std::array<InstructionSpec, 256> kInstructionSet = make_instruction_set();

constexpr const InstructionSpec& instruction_spec(unsigned opcode) {
  return kInstructionSet[opcode & 0xFF];
}

}  // namespace tern
