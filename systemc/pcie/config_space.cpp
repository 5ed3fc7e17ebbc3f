// SPDX-License-Identifier: Apache-2.0
#include "systemc/pcie/config_space.h"

#include <linux/pci_regs.h>

#include <utility>

namespace tern::pcie {

namespace {
constexpr unsigned kDeviceControl = ConfigSpace::kExpress + PCI_EXP_DEVCTL;
// What a reader of the link's state sees: PCIe 5.0, sixteen lanes.
constexpr std::uint32_t kSpeed = 5, kLanes = 16;
}  // namespace

ConfigSpace::ConfigSpace(unsigned cores, unsigned stacks) {
  sizes_[kControlBar] = control_bytes(cores);
  sizes_[kMessageBar] = kMessageBytes;
  sizes_[kMemoryBar] = memory_bytes(stacks);
  reset();
}

void ConfigSpace::reset() {
  bytes_.fill(0);
  writable_.fill(0);
  put(PCI_VENDOR_ID, 2, kVendor);
  put(PCI_DEVICE_ID, 2, kDevice);
  put(PCI_COMMAND, 2, 0, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE);
  put(PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
  put(PCI_CLASS_DEVICE + 1, 1, kClass);
  put(PCI_SUBSYSTEM_VENDOR_ID, 2, kVendor);
  put(PCI_SUBSYSTEM_ID, 2, kDevice);
  put(PCI_CAPABILITY_LIST, 1, kExpress);
  put(PCI_INTERRUPT_LINE, 1, 0, 0xFF);
  for (const unsigned bar : {kControlBar, kMessageBar, kMemoryBar}) {
    const std::uint64_t mask = ~(sizes_[bar] - 1);
    const std::uint32_t kind =
        PCI_BASE_ADDRESS_MEM_TYPE_64 | (bar == kMemoryBar ? PCI_BASE_ADDRESS_MEM_PREFETCH : 0);
    put(PCI_BASE_ADDRESS_0 + 4 * bar, 4, kind, static_cast<std::uint32_t>(mask));
    put(PCI_BASE_ADDRESS_0 + 4 * bar + 4, 4, 0, static_cast<std::uint32_t>(mask >> 32));
  }
  put(kExpress + PCI_CAP_LIST_ID, 1, PCI_CAP_ID_EXP);
  put(kExpress + PCI_CAP_LIST_NEXT, 1, kMsix);
  put(kExpress + PCI_EXP_FLAGS, 2, 2);  // version 2, endpoint
  put(kExpress + PCI_EXP_DEVCAP, 4, PCI_EXP_DEVCAP_FLR);
  put(kExpress + PCI_EXP_LNKCAP, 4, kSpeed | kLanes << 4);
  put(kExpress + PCI_EXP_LNKSTA, 2, kSpeed | kLanes << 4);
  put(kMsix + PCI_CAP_LIST_ID, 1, PCI_CAP_ID_MSIX);
  put(kMsix + PCI_MSIX_FLAGS, 2, kVectors - 1, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
  put(kMsix + PCI_MSIX_TABLE, 4, kTableOffset | kMessageBar);
  put(kMsix + PCI_MSIX_PBA, 4, kPendingOffset | kMessageBar);
}

void ConfigSpace::put(unsigned offset, unsigned bytes, std::uint32_t value,
                      std::uint32_t writable) {
  for (unsigned i = 0; i < bytes; ++i) {
    bytes_[offset + i] = static_cast<std::uint8_t>(value >> 8 * i);
    writable_[offset + i] = static_cast<std::uint8_t>(writable >> 8 * i);
  }
}

std::uint32_t ConfigSpace::read(unsigned offset, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{bytes_[offset + i]} << 8 * i;
  return value;
}

void ConfigSpace::write(unsigned offset, unsigned bytes, std::uint32_t value) {
  for (unsigned i = 0; i < bytes; ++i) {
    const std::uint8_t mask = writable_[offset + i];
    const auto byte = static_cast<std::uint8_t>(value >> 8 * i);
    bytes_[offset + i] = static_cast<std::uint8_t>((bytes_[offset + i] & ~mask) | (byte & mask));
    // The bit reads as 0.
    constexpr unsigned kResetByte = kDeviceControl + 1;
    if (offset + i == kResetByte && (byte & PCI_EXP_DEVCTL_BCR_FLR >> 8) != 0) reset_asked_ = true;
  }
}

void ConfigSpace::archive_state(base::StateArchive& archive) {
  for (unsigned i = 0; i < kConfigBytes; ++i) {
    if (writable_[i] == 0) continue;
    std::uint8_t saved = bytes_[i];
    archive.number(saved);
    write(i, 1, saved);
  }
  reset_asked_ = false;
}

bool ConfigSpace::take_reset() {
  return std::exchange(reset_asked_, false);
}

std::uint16_t ConfigSpace::word(unsigned offset) const {
  return static_cast<std::uint16_t>(read(offset, 2));
}

bool ConfigSpace::memory_enabled() const {
  return (word(PCI_COMMAND) & PCI_COMMAND_MEMORY) != 0;
}

bool ConfigSpace::master_enabled() const {
  return (word(PCI_COMMAND) & PCI_COMMAND_MASTER) != 0;
}

bool ConfigSpace::messages_enabled() const {
  const std::uint16_t flags = word(kMsix + PCI_MSIX_FLAGS);
  return (flags & PCI_MSIX_FLAGS_ENABLE) != 0 && (flags & PCI_MSIX_FLAGS_MASKALL) == 0;
}

std::uint64_t ConfigSpace::base(unsigned bar) const {
  const unsigned at = PCI_BASE_ADDRESS_0 + 4 * bar;
  const std::uint64_t low = read(at, 4) & static_cast<std::uint32_t>(PCI_BASE_ADDRESS_MEM_MASK);
  return low | std::uint64_t{read(at + 4, 4)} << 32;
}

}  // namespace tern::pcie
