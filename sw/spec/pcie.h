// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/address_map.h"

// The chip as a function of PCIe: what its driver must know beside the standard. Layout of the
// configuration space: linux/pci_regs.h.
namespace tern::pcie {

// Tern has no vendor ID of the PCI-SIG: 'TE', which is assigned to nobody.
constexpr std::uint16_t kVendor = 0x5445, kDevice = 0x0001;
constexpr std::uint8_t kClass = 0x12;  // processing accelerator
constexpr unsigned kConfigBytes = 4096;

// BARs, 64 bits each: a pair of the six words. Their sizes are powers of two.
//   control: from 0 on the windows of the cores, from its middle on the chip registers
//   messages: the MSI-X table, then its pending bits
//   memory: HBM
constexpr unsigned kControlBar = 0, kMessageBar = 2, kMemoryBar = 4;
constexpr unsigned kVectors = 64;
constexpr std::uint32_t kTableOffset = 0, kPendingOffset = 0x800, kMessageBytes = 0x1000;

constexpr std::uint64_t power_of_two_from(std::uint64_t value) {
  std::uint64_t size = 1;
  while (size < value) size *= 2;
  return size;
}
constexpr std::uint64_t control_bytes(unsigned cores) {
  return 2 * power_of_two_from(cores * TERN_CORE_STRIDE);
}
constexpr std::uint64_t memory_bytes(unsigned stacks) {
  return power_of_two_from(stacks * TERN_HBM_STRIDE);
}

}  // namespace tern::pcie
