// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sw/base/elf_file.h"
#include "sw/config/chip_config.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"
#include "systemc/engines/ports/sbuf_access.h"
#include "systemc/gpsimd/program_runner.h"

namespace tern::gpsimd {

// Why a program was stopped.
struct ProgramFault {
  unsigned reason = TERN_PROGRAM_FAULT_NONE;
  std::uint32_t pc = 0;     // of the instruction
  std::uint32_t value = 0;  // address, status, ...: by reason (docs/reference/isa.md)
};

struct ProgramResult {
  std::uint64_t cycles = 0;
  ProgramFault fault;
};

// SBUF as seen by the processors: whole pages of its partitions.
struct SbufWindow {
  SbufAccess memory;
  std::uint64_t partition_bytes = 0;
};

// Called with each line that a program logs.
using ProgramLog = std::function<void(unsigned processor, const std::string& line)>;

// One RV32IMF processor, loaded with a program (systemc/riscv). It acts as the eight processors of
// GpSimd in turn, in no simulated time; the cost of a run is counted (systemc/gpsimd/README.md).
class Processor {
 public:
  static constexpr unsigned kCount = 8;
  using Arguments = std::array<std::uint32_t, TERN_REG_GPSIMD_ARGUMENT_COUNT>;

  // runner: of its hart, a debugger; null: the processor itself.
  Processor(base::ElfFile program, const SbufWindow& sbuf, const GpsimdProgramConfig& config,
            ProgramLog log, ProgramRunner* runner = nullptr);
  ~Processor();

  // Runs as processor `number`: local memory and registers start afresh.
  ProgramResult run(unsigned number, const Arguments& arguments);

 private:
  class Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace tern::gpsimd
