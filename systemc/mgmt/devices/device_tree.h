// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systemc/mgmt/devices/memory_map.h"

namespace tern::mgmt {

// The machine as software sees it. Addresses: memory_map.h.
struct DeviceTreeConfig {
  unsigned harts = 1;
  std::string isa = "rv64imafdc";       // riscv,isa
  std::string mmu_type = "riscv,sv39";  // empty: no translation
  std::string model = "tern-management-core";
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  std::uint64_t timebase_hz = kTimebaseHz;
  std::uint64_t uart_clock_hz = kUartClockHz;
  unsigned plic_sources = 95;
  bool rtc = false;
  std::string bootargs;  // empty: none
};

// The flattened device tree, with 4 KiB of room in which firmware may change it. Throws UserError
// for what a tree cannot say.
std::vector<std::uint8_t> device_tree(const DeviceTreeConfig& config);

}  // namespace tern::mgmt
