// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "systemc/engines/instruction/core_limits.h"
#include "systemc/engines/instruction/instruction_fault.h"
#include "systemc/engines/ports/operation.h"
#include "systemc/engines/ports/service_outcome.h"

namespace tern {

class CoreServices;    // systemc/core/core_services.h
struct ControlUnit;    // systemc/core/control_unit.h
struct EngineUnit;     // systemc/engines/vector/engine_unit.h
struct IntervalRules;  // systemc/engines/vector/instruction_interval.h
struct TensorCommand;  // systemc/engines/tensor/tensor_datapath.h

// An instruction with its extension, the queue that executes it, and the chip.
struct CheckInput {
  const Operation& operation;
  unsigned queue;
  const CoreLimits& limits;
};

// One row describes one instruction to the models. Its name, queues and body come from
// docs/spec/isa.yaml (instruction_set.h); a family of instructions is a file with one table of
// rows.
struct InstructionRow {
  unsigned opcode;
  // All checks that need no execution, except those of queue and header. Throws InstructionFault.
  void (*check)(const CheckInput& input);
  // Key operands as a JSON object, for traces.
  std::string (*describe)(const Operation& operation, unsigned index);

  // For the Vector, Scalar and GpSimd engines only; null for what others execute.
  void (*run)(EngineUnit& unit, const Operation& operation) = nullptr;
  // Cycles for which it occupies its engine, without the engine's minimum interval.
  std::uint64_t (*cycles)(const Operation& operation, unsigned queue,
                          const IntervalRules& rules) = nullptr;
  // Elements per cycle and partition in the performance modes of Vector; null: always 1.
  unsigned (*mode)(const Operation& operation, const IntervalRules& rules) = nullptr;

  // The command for the tensor engine's datapath.
  TensorCommand (*command)(const tern_instruction_t& instruction, unsigned bank_columns) = nullptr;
  // Starts what runs in parallel to the engine, DMA or a program; may block the calling SC_THREAD.
  ServiceOutcome (*serve)(CoreServices& services, unsigned queue,
                          const tern_instruction_t& instruction) = nullptr;
  // What the sequencer executes itself.
  std::optional<InstructionFault> (*control)(ControlUnit& unit,
                                             const tern_instruction_t& instruction) = nullptr;
};

// The table of one family.
class InstructionRows {
 public:
  template <std::size_t N>
  constexpr InstructionRows(const InstructionRow (&rows)[N]) : begin_(rows), end_(rows + N) {}
  constexpr const InstructionRow* begin() const { return begin_; }
  constexpr const InstructionRow* end() const { return end_; }

 private:
  const InstructionRow* begin_;
  const InstructionRow* end_;
};

}  // namespace tern
