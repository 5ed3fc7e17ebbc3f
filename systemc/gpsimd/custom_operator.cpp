// SPDX-License-Identifier: Apache-2.0
#include "systemc/gpsimd/custom_operator.h"

#include <algorithm>
#include <utility>

namespace tern::gpsimd {

CustomOperator::CustomOperator(const SbufWindow& sbuf, const GpsimdProgramConfig& config,
                               ProgramLog log, ProgramRunner* runner)
    : sbuf_(sbuf), config_(config), log_(std::move(log)), runner_(runner) {}

CustomResult CustomOperator::run(const tern_instr_custom_op_t& instruction,
                                 std::vector<std::uint8_t> file) {
  CustomResult result;
  result.cycles = config_.start_cycles;
  if (processor_ == nullptr || file != file_) {
    processor_.reset();
    file_ = std::move(file);
    try {
      processor_ = std::make_unique<Processor>(base::ElfFile(file_), sbuf_, config_, log_, runner_);
    } catch (const base::ElfError&) {
      result.fault.reason = TERN_PROGRAM_FAULT_BAD_FILE;
      return result;
    }
  }
  Processor::Arguments arguments;
  std::copy(std::begin(instruction.args), std::end(instruction.args), arguments.begin());
  std::uint64_t slowest = 0;
  for (unsigned number = 0; number < Processor::kCount; ++number) {
    if ((instruction.cores >> number & 1) == 0) continue;
    const ProgramResult run = processor_->run(number, arguments);
    slowest = std::max(slowest, run.cycles);
    if (run.fault.reason == TERN_PROGRAM_FAULT_NONE) continue;
    processor_.reset();
    result.processor = number;
    result.fault = run.fault;
    slowest = run.cycles;
    break;
  }
  result.cycles += slowest;
  return result;
}

}  // namespace tern::gpsimd
