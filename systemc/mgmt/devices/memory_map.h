// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/address_map.h"

namespace tern::mgmt {

// Where software written for the `virt` board expects the devices (docs/spec/address_map.yaml):
// bases and sizes in bytes. The rest it reads in the device tree.
constexpr std::uint64_t kBootRomBase = TERN_MGMT_BOOT_ROM_BASE;
constexpr std::uint64_t kBootRomBytes = TERN_MGMT_BOOT_ROM_STRIDE;
constexpr std::uint64_t kFinisherBase = TERN_MGMT_FINISHER_BASE;
constexpr std::uint64_t kFinisherBytes = TERN_MGMT_FINISHER_STRIDE;
constexpr std::uint64_t kRtcBase = TERN_MGMT_RTC_BASE, kRtcBytes = TERN_MGMT_RTC_STRIDE;
constexpr std::uint64_t kClintBase = TERN_MGMT_CLINT_BASE, kClintBytes = TERN_MGMT_CLINT_STRIDE;
constexpr std::uint64_t kPlicBase = TERN_MGMT_PLIC_BASE, kPlicBytes = TERN_MGMT_PLIC_STRIDE;
constexpr std::uint64_t kUartBase = TERN_MGMT_UART_BASE, kUartBytes = TERN_MGMT_UART_STRIDE;
constexpr std::uint64_t kMemoryBase = TERN_MGMT_MEMORY_BASE;

// Inputs of the PLIC.
constexpr unsigned kUartSource = 10, kRtcSource = 11;

constexpr std::uint64_t kTimebaseHz = 10'000'000;
constexpr std::uint64_t kUartClockHz = 3'686'400;

}  // namespace tern::mgmt
