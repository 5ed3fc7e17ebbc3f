// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/base/state_archive.h"
#include "sw/spec/pcie.h"

namespace tern::pcie {

// The configuration space of the chip's function: header, PCI Express and MSI-X capabilities.
// Offsets and bits: linux/pci_regs.h.
class ConfigSpace {
 public:
  // In the list of capabilities.
  static constexpr unsigned kExpress = 0x40, kMsix = 0x80;

  ConfigSpace(unsigned cores, unsigned stacks);

  std::uint32_t read(unsigned offset, unsigned bytes) const;
  void write(unsigned offset, unsigned bytes, std::uint32_t value);
  // As after power-on.
  void reset();

  bool memory_enabled() const;
  bool master_enabled() const;
  bool messages_enabled() const;  // MSI-X, and not masked as a whole
  // Bus address and size of a BAR (k...Bar).
  std::uint64_t base(unsigned bar) const;
  std::uint64_t size(unsigned bar) const { return sizes_[bar]; }
  // For a snapshot: what may be written.
  void archive_state(base::StateArchive& archive);
  // A function-level reset has been asked for since the last call.
  bool take_reset();

 private:
  void put(unsigned offset, unsigned bytes, std::uint32_t value, std::uint32_t writable = 0);
  std::uint16_t word(unsigned offset) const;

  std::array<std::uint8_t, kConfigBytes> bytes_{}, writable_{};
  std::array<std::uint64_t, 6> sizes_{};
  bool reset_asked_ = false;
};

}  // namespace tern::pcie
