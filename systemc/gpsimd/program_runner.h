// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::riscv {
class Hart;
struct HartConfig;
enum class Stop : std::uint8_t;
}  // namespace tern::riscv

namespace tern::gpsimd {

// A program on a processor, as a debugger sees it.
class RunningProgram {
 public:
  virtual ~RunningProgram() = default;
  virtual unsigned processor() const = 0;
  virtual riscv::Hart& hart() = 0;
  virtual const riscv::HartConfig& hart_config() const = 0;
  // Local memory, partitions, and registers without side effects; false: nothing is there.
  virtual bool peek(std::uint64_t address, void* data, unsigned bytes) = 0;
  // Local memory and partitions, also what the program must not write.
  virtual bool poke(std::uint64_t address, const void* data, unsigned bytes) = 0;
};

// Who runs the hart of a program in place of the processor: a debugger. In no simulated time.
class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;
  // As Hart::run(), or less: the processor calls it again. Breakpoints and watchpoints are its own
  // (then Stop::kBudget).
  virtual riscv::Stop run(RunningProgram& program, std::uint64_t cycles) = 0;
  // The program has ended, with a fault or without, and its hart goes away.
  virtual void ended(bool fault) = 0;
};

}  // namespace tern::gpsimd
