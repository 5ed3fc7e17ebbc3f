// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "systemc/mgmt/devices/memory_map.h"
#include "systemc/mgmt/devices/register_device.h"

namespace tern::mgmt {

// What the code of the ROM passes to the first program.
struct BootConfig {
  unsigned xlen = 64;                 // 32 or 64
  std::uint64_t start = kMemoryBase;  // where every hart jumps
  std::uint64_t device_tree = 0;      // a1
  // For OpenSBI's fw_dynamic (a2): the program after it, its mode (0 U, 1 S, 3 M), and the hart
  // that boots.
  std::uint64_t next = kMemoryBase + 0x200000;
  unsigned next_mode = 1;
  std::uint64_t boot_hart = 0;
};

// The reset vector and its data. Throws UserError where an address has no room in xlen bits.
std::vector<std::uint8_t> boot_code(const BootConfig& config);

// The ROM out of which harts start. README.md.
class BootRom : public RegisterDevice {
 public:
  // No state: the content never changes.
  struct State {};

  BootRom(sc_core::sc_module_name name, const BootConfig& config);
  // Any content. Throws UserError if it has no room.
  BootRom(sc_core::sc_module_name name, std::vector<std::uint8_t> content);

  // All kBootRomBytes, for harts that fetch without transactions.
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::uint8_t* data() { return bytes_.data(); }

  void reset() {}
  State save() const { return {}; }
  void restore(const State&) {}

 private:
  Status read(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
              std::uint64_t& value) override;
  Status write(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
               std::uint64_t value) override;
  std::uint64_t peek(std::uint64_t offset) const override { return bytes_[offset]; }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace tern::mgmt
