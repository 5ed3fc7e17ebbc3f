// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <systemc>

#include "systemc/mgmt/profile/elf_symbols.h"
#include "systemc/riscv/hart_config.h"

namespace tern::mgmt {

// A line for each instruction: time, hart, pc, bits, text, function.
class InstructionTrace {
 public:
  // The stream and the symbols must outlive it.
  InstructionTrace(std::ostream& out, const Symbols& symbols, const riscv::HartConfig& config)
      : out_(out), symbols_(symbols), config_(config) {}

  void write(unsigned hart, const sc_core::sc_time& at, std::uint64_t pc, std::uint32_t word);
  std::uint64_t lines() const { return lines_; }

 private:
  std::ostream& out_;
  const Symbols& symbols_;
  const riscv::HartConfig config_;
  std::uint64_t lines_ = 0;
};

}  // namespace tern::mgmt
