// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern {

// A fault of a plan: what happens, where, and when.
struct Fault {
  enum class Kind : std::uint8_t {
    kHbmBits,        // wrong bits in one burst: stack, offset, bits
    kDmaAbort,       // core, engine, ring
    kHang,           // core, queue: the program stands still before its next instruction
    kBadDescriptor,  // core, engine, ring, index: a reserved bit of a source descriptor in HBM
    kThrottle,       // core: instructions one by one, each `factor` times longer, for `for_us`
    kCoreReset,      // core, as by the host
    kUart,           // bytes arrive at the serial line of the management core
    kFlashBit,       // offset, bit of the flash
    kChipError,      // error, unit: an error class, as if the chip reported it
  };
  enum class From : std::uint8_t {
    kBoot,          // at_us after power on
    kProgram,       // at_us after the first program has started
    kInstructions,  // when a queue has executed so many instructions: core, queue
  };
  Kind kind = Kind::kHbmBits;
  From from = From::kProgram;
  double at_us = 0;
  std::uint64_t instructions = 0;

  unsigned stack = 0, core = 0, queue = 0, engine = 0, ring = 0, bit = 0, bits = 1;
  std::uint64_t offset = 0, index = 0, unit = 0;
  unsigned error = 0;  // TERN_ERROR_CLASS_...
  double factor = 2, for_us = 0;
  std::string bytes;

  std::string source;  // "faults.yaml:3", for messages
};

// The name of a kind in a plan: "hbm_bits".
std::string fault_name(Fault::Kind kind);

struct FaultPlan {
  static constexpr std::size_t kMaxFaults = 1'000;
  std::vector<Fault> faults;
  double limit_ms = 100;  // simulated time after which a program counts as hung
};

// Reads a file (docs/howto/faults.md). Throws UserError "FILE:LINE: ...".
FaultPlan load_fault_plan(const std::string& path);

// What the plan names must exist: UserError otherwise. managed: the chip has a management core.
struct FaultLimits {
  unsigned stacks = 0, cores = 0;
  std::uint64_t stack_bytes = 0;
  bool managed = false;
};
void check_fault_plan(const FaultPlan& plan, const FaultLimits& limits);

}  // namespace tern
