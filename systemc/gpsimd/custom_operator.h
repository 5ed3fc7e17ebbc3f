// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "systemc/gpsimd/processor.h"

namespace tern::gpsimd {

// The result of a custom_op.
struct CustomResult {
  std::uint64_t cycles = 0;  // of the slowest processor, or of the one that failed; with the start
  unsigned processor = 0;    // the one that failed
  ProgramFault fault;
};

// The eight processors of a NeuronCore: runs a program on those that an instruction selects. They
// work at the same time; their effects are there when run() returns.
class CustomOperator {
 public:
  CustomOperator(const SbufWindow& sbuf, const GpsimdProgramConfig& config, ProgramLog log,
                 ProgramRunner* runner = nullptr);

  // `file`: the ELF file. The first fault, by number of the processor, ends the instruction:
  // later processors have not run.
  CustomResult run(const tern_instr_custom_op_t& instruction, std::vector<std::uint8_t> file);

 private:
  SbufWindow sbuf_;
  GpsimdProgramConfig config_;
  ProgramLog log_;
  ProgramRunner* runner_;
  std::vector<std::uint8_t> file_;        // the program that processor_ holds
  std::unique_ptr<Processor> processor_;  // none before the first program and after a fault
};

}  // namespace tern::gpsimd
