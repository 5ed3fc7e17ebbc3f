// SPDX-License-Identifier: Apache-2.0
#include "systemc/riscv/csr_file.h"

namespace tern::riscv {

using csr::between;

namespace {

constexpr std::uint64_t kSupervisorStatus =
    csr::kSieBit | csr::kSpie | csr::kSpp | csr::kFs | csr::kSum | csr::kMxr;
constexpr std::uint64_t kMachineStatus = kSupervisorStatus | csr::kMieBit | csr::kMpie | csr::kMpp |
                                         csr::kMprv | csr::kTvm | csr::kTw | csr::kTsr;
constexpr std::uint64_t kSupervisorInterrupts = 0x222, kMachineInterrupts = 0x888;
// Exceptions that software may delegate: all but calls from M mode and the reserved ones.
constexpr std::uint64_t kDelegable = 0xb3ff;

}  // namespace

CsrFile::CsrFile(const HartConfig& config)
    : config_(config), xlen_mask_(config.xlen == 64 ? ~std::uint64_t{0} : 0xffffffffu) {
  reset();
}

void CsrFile::reset() {
  const std::uint64_t lines = state.lines;  // devices hold them
  state = {};
  state.lines = lines;
}

std::uint64_t CsrFile::misa() const {
  const auto letter = [](char c) { return std::uint64_t{1} << (c - 'A'); };
  std::uint64_t value = letter('I') | letter('M');
  if (config_.atomics) value |= letter('A');
  if (config_.compressed) value |= letter('C');
  if (config_.floats) value |= letter('F');
  if (config_.doubles) value |= letter('D');
  if (config_.supervisor) value |= letter('S');
  if (config_.user) value |= letter('U');
  return value | (config_.xlen == 64 ? std::uint64_t{2} << 62 : std::uint64_t{1} << 30);
}

std::uint64_t CsrFile::status(std::uint64_t mask) const {
  std::uint64_t value = state.mstatus & mask;
  if ((state.mstatus & csr::kFs) == csr::kFs) value |= interrupt_bit();  // SD, also the top bit
  if (config_.xlen == 64) {  // lengths of registers in S and U mode: 64
    if (config_.user) value |= std::uint64_t{2} << 32;
    if (config_.supervisor && (mask & csr::kMpp) != 0) value |= std::uint64_t{2} << 34;
  }
  return value;
}

void CsrFile::write_status(std::uint64_t value, std::uint64_t mask) {
  if (!config_.floats) mask &= ~csr::kFs;
  if (!config_.user) mask &= ~(csr::kMprv | csr::kTw);
  if (!config_.supervisor)
    mask &=
        ~(csr::kSieBit | csr::kSpie | csr::kSpp | csr::kSum | csr::kMxr | csr::kTvm | csr::kTsr);
  const std::uint64_t mpp = (value & csr::kMpp) >> csr::kMppShift;
  const bool legal = mpp == 3 || (mpp == 1 && config_.supervisor) || (mpp == 0 && config_.user);
  if (!legal) mask &= ~csr::kMpp;
  state.mstatus = (state.mstatus & ~mask) | (value & mask);
  if (!config_.user) state.mstatus |= csr::kMpp;
}

bool CsrFile::pmp_locked(unsigned index) const {
  constexpr std::uint8_t kLocked = 0x80, kModeField = 0x18, kTor = 0x08;
  if ((state.pmp_config[index] & kLocked) != 0) return true;
  if (index == 15) return false;
  const std::uint8_t next = state.pmp_config[index + 1];
  return (next & kLocked) != 0 && (next & kModeField) == kTor;
}

void CsrFile::write_pmp_config(unsigned number, std::uint64_t value) {
  const unsigned first = 4 * (number - csr::kPmpcfg0);
  for (unsigned i = 0; i < config_.xlen / 8; ++i) {
    auto config = static_cast<std::uint8_t>((value >> (8 * i)) & 0x9f);
    if ((config & 3) == 2) config &= 0xfc;  // W without R is reserved
    if ((state.pmp_config[first + i] & 0x80) == 0) state.pmp_config[first + i] = config;
  }
}

void CsrFile::write_pmp_address(unsigned index, std::uint64_t value) {
  if (pmp_locked(index)) return;
  state.pmp_address[index] = config_.xlen == 64 ? value & 0x3fffffffffffff : value;
}

std::uint64_t CsrFile::legal_pc(std::uint64_t value) const {
  return value & ~(config_.compressed ? std::uint64_t{1} : std::uint64_t{3});
}

// One half of a counter is written on RV32.
std::uint64_t CsrFile::with_half(std::uint64_t old, std::uint64_t value, bool high) const {
  if (config_.xlen == 64) return value;
  return high ? (old & 0xffffffffu) | value << 32 : (old & ~std::uint64_t{0xffffffff}) | value;
}

bool CsrFile::read(unsigned number, Privilege mode, const Counts& counts,
                   std::uint64_t& value) const {
  return allowed(number, mode, false) && peek(number, counts, value);
}

bool CsrFile::peek(unsigned number, const Counts& counts, std::uint64_t& value) const {
  if (!exists(number)) return false;
  const CsrState& s = state;
  const auto half = [&value](std::uint64_t counter, bool high) {
    value = high ? counter >> 32 : counter;
  };
  const std::uint64_t mask = number < 0x200 ? s.mideleg : ~std::uint64_t{0};
  switch (number) {
    case csr::kFflags:
      value = s.fflags;
      break;
    case csr::kFrm:
      value = s.frm;
      break;
    case csr::kFcsr:
      value = s.fflags | s.frm << 5;
      break;
    case csr::kSstatus:
      value = status(kSupervisorStatus);
      break;
    case csr::kMstatus:
      value = status(kMachineStatus);
      break;
    case csr::kSie:
    case csr::kMie:
      value = s.mie & mask;
      break;
    case csr::kSip:
    case csr::kMip:
      value = (s.mip | s.lines) & mask;
      break;
    case csr::kStvec:
      value = s.stvec;
      break;
    case csr::kMtvec:
      value = s.mtvec;
      break;
    case csr::kScounteren:
      value = s.scounteren;
      break;
    case csr::kMcounteren:
      value = s.mcounteren;
      break;
    case csr::kSenvcfg:
      value = s.senvcfg;
      break;
    case csr::kMenvcfg:
      value = s.menvcfg;
      break;
    case csr::kSscratch:
      value = s.sscratch;
      break;
    case csr::kMscratch:
      value = s.mscratch;
      break;
    case csr::kSepc:
      value = s.sepc;
      break;
    case csr::kMepc:
      value = s.mepc;
      break;
    case csr::kScause:
      value = s.scause;
      break;
    case csr::kMcause:
      value = s.mcause;
      break;
    case csr::kStval:
      value = s.stval;
      break;
    case csr::kMtval:
      value = s.mtval;
      break;
    case csr::kSatp:
      value = s.satp;
      break;
    case csr::kMisa:
      value = misa();
      break;
    case csr::kMedeleg:
      value = s.medeleg;
      break;
    case csr::kMideleg:
      value = s.mideleg;
      break;
    case csr::kMcountinhibit:
      value = s.mcountinhibit;
      break;
    case csr::kMhartid:
      value = config_.hart_id;
      break;
    case csr::kMcycle:
    case csr::kCycle:
      half(counts.cycles + s.cycle_offset, false);
      break;
    case csr::kMcycleh:
    case csr::kCycleh:
      half(counts.cycles + s.cycle_offset, true);
      break;
    case csr::kMinstret:
    case csr::kInstret:
      half(counts.retired + s.instret_offset, false);
      break;
    case csr::kMinstreth:
    case csr::kInstreth:
      half(counts.retired + s.instret_offset, true);
      break;
    case csr::kTime:
      half(counts.time, false);
      break;
    case csr::kTimeh:
      half(counts.time, true);
      break;
    default:
      value = 0;  // counters of events that are not counted, identification
      if (between(number, csr::kPmpaddr0, csr::kPmpaddr15))
        value = s.pmp_address[number - csr::kPmpaddr0];
      if (between(number, csr::kPmpcfg0, csr::kPmpcfg3)) {
        for (unsigned i = 0; i < config_.xlen / 8; ++i)
          value |= std::uint64_t{s.pmp_config[4 * (number - csr::kPmpcfg0) + i]} << (8 * i);
      }
  }
  value &= xlen_mask_;
  return true;
}

bool CsrFile::write(unsigned number, Privilege mode, const Counts& counts, std::uint64_t value) {
  if (!allowed(number, mode, true)) return false;
  CsrState& s = state;
  value &= xlen_mask_;
  const auto set = [value](std::uint64_t& reg, std::uint64_t mask) {
    reg = (reg & ~mask) | (value & mask);
  };
  const std::uint64_t interrupts =
      kMachineInterrupts | (config_.supervisor ? kSupervisorInterrupts : 0);
  switch (number) {
    case csr::kFflags:
      s.fflags = value & 0x1f;
      break;
    case csr::kFrm:
      s.frm = value & 7;
      break;
    case csr::kFcsr:
      s.fflags = value & 0x1f;
      s.frm = (value >> 5) & 7;
      break;
    case csr::kSstatus:
      write_status(value, kSupervisorStatus);
      break;
    case csr::kMstatus:
      write_status(value, kMachineStatus);
      break;
    case csr::kSie:
      set(s.mie, s.mideleg & kSupervisorInterrupts);
      break;
    case csr::kMie:
      set(s.mie, interrupts);
      break;
    case csr::kSip:
      set(s.mip, s.mideleg & 0x2);
      break;
    case csr::kMip:
      set(s.mip, interrupts & kSupervisorInterrupts);
      break;
    case csr::kStvec:
      if ((value & 2) == 0) s.stvec = value;
      break;
    case csr::kMtvec:
      if ((value & 2) == 0) s.mtvec = value;
      break;
    case csr::kScounteren:
      s.scounteren = value & 0xffffffff;
      break;
    case csr::kMcounteren:
      s.mcounteren = value & 0xffffffff;
      break;
    case csr::kSenvcfg:
      s.senvcfg = value & 1;
      break;
    case csr::kMenvcfg:
      s.menvcfg = value & 1;
      break;
    case csr::kSscratch:
      s.sscratch = value;
      break;
    case csr::kMscratch:
      s.mscratch = value;
      break;
    case csr::kSepc:
      s.sepc = legal_pc(value);
      break;
    case csr::kMepc:
      s.mepc = legal_pc(value);
      break;
    case csr::kScause:
      s.scause = value;
      break;
    case csr::kMcause:
      s.mcause = value;
      break;
    case csr::kStval:
      s.stval = value;
      break;
    case csr::kMtval:
      s.mtval = value;
      break;
    case csr::kSatp: {
      const std::uint64_t kind = config_.xlen == 64 ? value >> 60 : value >> 31;
      const bool legal = kind == 0 || kind == (config_.xlen == 64 ? 8 : 1);
      if (legal) s.satp = value;  // otherwise the write has no effect at all
      break;
    }
    case csr::kMedeleg:
      s.medeleg = value & kDelegable;
      break;
    case csr::kMideleg:
      s.mideleg = value & kSupervisorInterrupts;
      break;
    case csr::kMcountinhibit:
      break;  // counters always count: read-only zero
    case csr::kMcycle:
    case csr::kMcycleh:
      s.cycle_offset = with_half(counts.cycles + s.cycle_offset, value, number == csr::kMcycleh) -
                       counts.cycles - 1;
      break;
    case csr::kMinstret:
    case csr::kMinstreth:
      // The value counts from the instruction after this one.
      s.instret_offset =
          with_half(counts.retired + s.instret_offset, value, number == csr::kMinstreth) -
          counts.retired - 1;
      break;
    default:
      if (between(number, csr::kPmpcfg0, csr::kPmpcfg3)) write_pmp_config(number, value);
      if (between(number, csr::kPmpaddr0, csr::kPmpaddr15))
        write_pmp_address(number - csr::kPmpaddr0, value);
  }
  return true;
}

}  // namespace tern::riscv
