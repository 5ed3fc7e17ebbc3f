// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <capstone/capstone.h>

#include <cstdint>
#include <ostream>
#include <systemc>

#include "systemc/mgmt/profile/elf_symbols.h"

namespace tern::mgmt {

// A line for each instruction: time, hart, pc, bits, text, function.
class InstructionTrace {
 public:
  // wide: RV64. The stream and the symbols must outlive it.
  InstructionTrace(std::ostream& out, const Symbols& symbols, bool wide);
  ~InstructionTrace();
  InstructionTrace(const InstructionTrace&) = delete;
  InstructionTrace& operator=(const InstructionTrace&) = delete;

  void write(unsigned hart, const sc_core::sc_time& at, std::uint64_t pc, std::uint32_t word);
  std::uint64_t lines() const { return lines_; }

 private:
  std::ostream& out_;
  const Symbols& symbols_;
  const bool wide_;
  csh engine_ = 0;
  cs_insn* instruction_ = nullptr;
  std::uint64_t lines_ = 0;
};

}  // namespace tern::mgmt
