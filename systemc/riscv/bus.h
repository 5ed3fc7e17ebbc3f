// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::riscv {

// What a hart sees outside its memory. Calls come in the middle of an instruction: the hart's
// cycles() count all instructions before it.
class Bus {
 public:
  virtual ~Bus() = default;
  // Whole, aligned registers of 1, 2, 4 or 8 bytes, little endian; false: access fault.
  virtual bool read(std::uint64_t address, void* data, unsigned bytes) = 0;
  virtual bool write(std::uint64_t address, const void* data, unsigned bytes) = 0;
  // Value of the `time` register.
  virtual std::uint64_t time() = 0;
};

}  // namespace tern::riscv
