// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "systemc/core/scalar_registers.h"
#include "systemc/engines/instruction/instruction_fault.h"

namespace tern {

// The position of a queue in its program: the program counter and the loops in progress. A fault is
// control_flow with a TERN_CONTROL_FAULT_* as its detail; the counter then keeps its value.
class ProgramFlow {
 public:
  static constexpr unsigned kDepth = 8;  // nested loops

  void start(std::uint32_t length);
  std::uint32_t pc() const { return pc_; }
  bool ended() const { return pc_ >= length_; }

  // Continues after the instruction at pc(); at the end of a loop's body the loop iterates.
  void next(ScalarRegisters& registers) { arrive(pc_ + 1, registers); }
  // To the instruction after an `extend` at pc(), which is in the same body.
  std::optional<InstructionFault> enter_extended();
  std::optional<InstructionFault> branch(const tern_instr_branch_t& in, ScalarRegisters& registers);
  std::optional<InstructionFault> loop(const tern_instr_loop_t& in, ScalarRegisters& registers);

  // For a snapshot of a queue whose program has ended: where it did.
  void archive_state(base::StateArchive& archive) { archive.numbers(length_, pc_); }

 private:
  struct Loop {
    std::uint32_t begin, end;  // of the body: first instruction, first one after it
    std::uint32_t iterations;  // left, including the current one
    std::uint32_t step;
    unsigned counter;
  };
  // The innermost body, or the whole program.
  std::uint32_t begin() const { return depth_ == 0 ? 0 : loops_[depth_ - 1].begin; }
  std::uint32_t end() const { return depth_ == 0 ? length_ : loops_[depth_ - 1].end; }
  void arrive(std::uint32_t pc, ScalarRegisters& registers);

  std::uint32_t length_ = 0, pc_ = 0;
  std::array<Loop, kDepth> loops_{};
  unsigned depth_ = 0;
};

// The result of register_alu.
std::uint32_t register_result(unsigned op, std::uint32_t a, std::uint32_t b);
// Whether a branch is taken.
bool branch_taken(unsigned condition, std::uint32_t a, std::uint32_t b);

}  // namespace tern
