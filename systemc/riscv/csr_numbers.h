// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Control and status registers: numbers and fields, from the privileged architecture 1.12.
namespace tern::riscv::csr {

constexpr unsigned kFflags = 0x001, kFrm = 0x002, kFcsr = 0x003;
constexpr unsigned kSstatus = 0x100, kSie = 0x104, kStvec = 0x105, kScounteren = 0x106;
constexpr unsigned kSenvcfg = 0x10a, kSscratch = 0x140, kSepc = 0x141, kScause = 0x142;
constexpr unsigned kStval = 0x143, kSip = 0x144, kSatp = 0x180;
constexpr unsigned kMstatus = 0x300, kMisa = 0x301, kMedeleg = 0x302, kMideleg = 0x303;
constexpr unsigned kMie = 0x304, kMtvec = 0x305, kMcounteren = 0x306, kMenvcfg = 0x30a;
constexpr unsigned kMstatush = 0x310, kMenvcfgh = 0x31a, kMcountinhibit = 0x320;
constexpr unsigned kMhpmevent3 = 0x323, kMhpmevent31 = 0x33f;
constexpr unsigned kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343, kMip = 0x344;
constexpr unsigned kPmpcfg0 = 0x3a0, kPmpcfg3 = 0x3a3, kPmpaddr0 = 0x3b0, kPmpaddr15 = 0x3bf;
constexpr unsigned kMcycle = 0xb00, kMinstret = 0xb02, kMhpmcounter3 = 0xb03;
constexpr unsigned kMhpmcounter31 = 0xb1f, kMcycleh = 0xb80, kMinstreth = 0xb82;
constexpr unsigned kMhpmcounter3h = 0xb83, kMhpmcounter31h = 0xb9f;
constexpr unsigned kCycle = 0xc00, kTime = 0xc01, kInstret = 0xc02, kHpmcounter31 = 0xc1f;
constexpr unsigned kCycleh = 0xc80, kTimeh = 0xc81, kInstreth = 0xc82, kHpmcounter31h = 0xc9f;
constexpr unsigned kMvendorid = 0xf11, kMarchid = 0xf12, kMimpid = 0xf13, kMhartid = 0xf14;
constexpr unsigned kMconfigptr = 0xf15;

// mstatus
constexpr std::uint64_t kSieBit = 1u << 1, kMieBit = 1u << 3, kSpie = 1u << 5, kMpie = 1u << 7;
constexpr std::uint64_t kSpp = 1u << 8, kMppShift = 11, kMpp = 3u << 11, kFs = 3u << 13;
constexpr std::uint64_t kMprv = 1u << 17, kSum = 1u << 18, kMxr = 1u << 19;
constexpr std::uint64_t kTvm = 1u << 20, kTw = 1u << 21, kTsr = 1u << 22;

constexpr bool between(unsigned number, unsigned first, unsigned last) {
  return number >= first && number <= last;
}

}  // namespace tern::riscv::csr
