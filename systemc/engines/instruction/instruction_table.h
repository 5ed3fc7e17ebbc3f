// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "systemc/engines/instruction/instruction_row.h"

namespace tern {

// The rows of several families by their opcodes.
class InstructionTable {
 public:
  explicit InstructionTable(const std::vector<InstructionRows>& families) {
    for (const InstructionRows& family : families) {
      for (const InstructionRow& row : family) rows_[row.opcode & kMask] = &row;
    }
  }
  // Null if no family has it.
  const InstructionRow* find(unsigned opcode) const { return rows_[opcode & kMask]; }

 private:
  static constexpr unsigned kMask = 0xFF;  // an opcode is one byte
  std::array<const InstructionRow*, kMask + 1> rows_{};
};

}  // namespace tern
