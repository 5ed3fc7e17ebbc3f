// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "systemc/riscv/csr_file.h"
#include "systemc/riscv/hart_config.h"
#include "systemc/riscv/physical_memory.h"

namespace tern::riscv {

enum class WalkResult : std::uint8_t { kOk, kPageFault, kAccessFault };

// Sv32 and Sv39: physical address of a virtual one, with the rights of its page checked. Bits A and
// D are set as hardware does. Tables must be in memory.
class Translation {
 public:
  Translation(const HartConfig& config, const CsrState& state, PhysicalMemory& memory)
      : config_(config), state_(state), memory_(memory) {}

  // Whether addresses are translated in this mode.
  bool active(Privilege mode) const;
  // `update`: sets A and D; a debugger does not.
  WalkResult walk(std::uint64_t address, Access access, Privilege mode, bool update,
                  std::uint64_t& physical) const;

 private:
  struct Format {
    unsigned levels, bits, entry_bytes;
  };
  bool may(std::uint64_t entry, Access access, Privilege mode) const;

  const HartConfig& config_;
  const CsrState& state_;
  PhysicalMemory& memory_;
};

}  // namespace tern::riscv
