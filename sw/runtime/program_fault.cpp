// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_fault.h"

#include <cstdio>

#include "sw/gpsimd/elf_file.h"

namespace tern::runtime {

namespace {

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

std::string reason_text(unsigned reason, std::uint32_t value) {
  switch (reason) {
    case TERN_PROGRAM_FAULT_LOAD:
      return "read " + hex(value) + ", where it has no memory";
    case TERN_PROGRAM_FAULT_STORE:
      return "wrote to " + hex(value) + ", where it has no memory";
    case TERN_PROGRAM_FAULT_PROTECTED:
      return "wrote to " + hex(value) + ", its code or constants (or its stack is too small)";
    case TERN_PROGRAM_FAULT_MISALIGNED:
      return "misaligned access to " + hex(value);
    case TERN_PROGRAM_FAULT_JUMP:
      return "jumped to " + hex(value) + ", where it has no code";
    case TERN_PROGRAM_FAULT_ILLEGAL:
      return "instruction " + hex(value) + ", which the processor lacks";
    case TERN_PROGRAM_FAULT_BREAKPOINT:
      return "breakpoint or abort()";
    case TERN_PROGRAM_FAULT_LIMIT:
      return "still running after " + std::to_string(value) +
             " cycles (core.gpsimd.programs.limit_cycles)";
    case TERN_PROGRAM_FAULT_EXIT:
      return "ended with status " + std::to_string(static_cast<std::int32_t>(value));
    case TERN_PROGRAM_FAULT_STOPPED:
      return "waits for an interrupt, and there are none";
    case TERN_PROGRAM_FAULT_REGISTER:
      return "no register for this access to " + hex(value) + " (whole words only)";
  }
  return "fault " + std::to_string(reason);
}

}  // namespace

std::string describe_program_fault(const Blob& program, const ProgramFaultRegisters& fault) {
  const std::string what = "GpSimd program '" + program.name + "'";
  if (fault.reason == TERN_PROGRAM_FAULT_BAD_FILE) {
    try {
      const gpsimd::ElfFile file(program.bytes);
    } catch (const gpsimd::ElfError& error) {
      return what + ": " + error.what();
    }
    return what + ": its file in HBM is damaged";
  }
  std::string text = what + ", processor " + std::to_string(fault.processor) + ": " +
                     reason_text(fault.reason, fault.value);
  if (fault.reason == TERN_PROGRAM_FAULT_EXIT) return text;
  text += ", at " + hex(fault.pc);
  try {
    const std::string symbol = gpsimd::ElfFile(program.bytes).symbol_at(fault.pc);
    if (!symbol.empty()) text += " in " + symbol;
  } catch (const gpsimd::ElfError&) {
    // The core took another file than ours: no names.
  }
  return text;
}

}  // namespace tern::runtime
