// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tern::mgmt {

// Where software written for the `virt` board expects the devices: bases and sizes in bytes, and
// sources of the PLIC.
constexpr std::uint64_t kBootRomBase = 0x1000, kBootRomBytes = 0xF000;
constexpr std::uint64_t kFinisherBase = 0x100000, kFinisherBytes = 0x1000;
constexpr std::uint64_t kRtcBase = 0x101000, kRtcBytes = 0x1000;
constexpr std::uint64_t kClintBase = 0x2000000, kClintBytes = 0x10000;
constexpr std::uint64_t kPlicBase = 0xC000000, kPlicBytes = 0x4000000;
constexpr std::uint64_t kUartBase = 0x10000000, kUartBytes = 0x100;
constexpr std::uint64_t kMemoryBase = 0x80000000;

constexpr unsigned kUartSource = 10, kRtcSource = 11;

constexpr std::uint64_t kTimebaseHz = 10'000'000;
constexpr std::uint64_t kUartClockHz = 3'686'400;

}  // namespace tern::mgmt
