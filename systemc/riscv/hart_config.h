// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::riscv {

// Which RISC-V processor a hart is: I and M always, the rest by choice.
struct HartConfig {
  unsigned xlen = 64;  // 32 or 64
  unsigned hart_id = 0;
  bool atomics = true;                  // A
  bool compressed = true;               // C
  bool floats = true, doubles = true;   // F, D (D needs F)
  bool supervisor = true, user = true;  // S with Sv32 or Sv39, U (S needs U)
  unsigned pmp_entries = 16;            // 0 or 16
  bool misaligned_data = true;          // loads and stores in memory; otherwise they trap
  bool timed_loads = false;             // a load takes the cycles of its memory; RV32 only
  bool stop_at_traps = false;           // run() returns after each, interrupts excepted
  std::uint64_t reset_pc = 0x1000;
};

enum class Privilege : std::uint8_t { kUser = 0, kSupervisor = 1, kMachine = 3 };

// Codes of mcause (privileged architecture, table "Machine cause register values").
enum class Cause : std::uint8_t {
  kInstructionMisaligned = 0,
  kInstructionAccess = 1,
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kLoadMisaligned = 4,
  kLoadAccess = 5,
  kStoreMisaligned = 6,
  kStoreAccess = 7,
  kCallFromUser = 8,
  kCallFromSupervisor = 9,
  kCallFromMachine = 11,
  kInstructionPage = 12,
  kLoadPage = 13,
  kStorePage = 15,
};

// Bits of mip and mie.
enum class Interrupt : std::uint8_t {
  kSupervisorSoftware = 1,
  kMachineSoftware = 3,
  kSupervisorTimer = 5,
  kMachineTimer = 7,
  kSupervisorExternal = 9,
  kMachineExternal = 11,
};

enum class Access : std::uint8_t { kLoad, kStore, kFetch };

struct Trap {
  Cause cause = Cause::kIllegalInstruction;
  std::uint64_t value = 0;  // of mtval
};

}  // namespace tern::riscv
