// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "systemc/riscv/csr_numbers.h"
#include "systemc/riscv/hart_config.h"

namespace tern::riscv {

// The values of the control and status registers, of 64 bits also on RV32. Plain: a copy is a
// snapshot.
struct CsrState {
  std::uint64_t mstatus = 0, medeleg = 0, mideleg = 0, mie = 0, mtvec = 0, mscratch = 0, mepc = 0,
                mcause = 0, mtval = 0, mcounteren = 0, mcountinhibit = 0, menvcfg = 0;
  std::uint64_t stvec = 0, sscratch = 0, sepc = 0, scause = 0, stval = 0, satp = 0, scounteren = 0,
                senvcfg = 0;
  std::uint64_t fflags = 0, frm = 0;
  std::uint64_t lines = 0;  // of interrupts from outside, as bits of mip
  std::uint64_t mip = 0;    // the bits that software sets
  std::array<std::uint8_t, 16> pmp_config{};
  std::array<std::uint64_t, 16> pmp_address{};
  // mcycle and minstret are the hart's counts plus these.
  std::uint64_t cycle_offset = 0, instret_offset = 0;
};

// What is counted outside.
struct Counts {
  std::uint64_t cycles = 0, retired = 0, time = 0;
};

// Access rules of the control and status registers. What a write changes elsewhere (translation,
// pending interrupts) is the caller's business.
class CsrFile {
 public:
  explicit CsrFile(const HartConfig& config);

  void reset();

  // False: an illegal instruction in this mode. `counts`: of the instructions before this one.
  bool read(unsigned number, Privilege mode, const Counts& counts, std::uint64_t& value) const;
  bool write(unsigned number, Privilege mode, const Counts& counts, std::uint64_t value);
  // The same without rights, for a debugger.
  bool peek(unsigned number, const Counts& counts, std::uint64_t& value) const;

  std::uint64_t pending() const { return (state.mip | state.lines) & state.mie; }
  // Whether bits of frm or FS allow floating point is in state.mstatus.
  std::uint64_t misa() const;
  std::uint64_t interrupt_bit() const { return std::uint64_t{1} << (config_.xlen - 1); }

  CsrState state;

 private:
  bool allowed(unsigned number, Privilege mode, bool write) const;
  bool exists(unsigned number) const;
  bool counter_allowed(unsigned number, Privilege mode) const;
  std::uint64_t status(std::uint64_t mask) const;
  void write_status(std::uint64_t value, std::uint64_t mask);
  void write_pmp_config(unsigned number, std::uint64_t value);
  void write_pmp_address(unsigned index, std::uint64_t value);
  bool pmp_locked(unsigned index) const;
  std::uint64_t legal_pc(std::uint64_t value) const;
  std::uint64_t with_half(std::uint64_t old, std::uint64_t value, bool high) const;

  const HartConfig config_;
  const std::uint64_t xlen_mask_;
};

}  // namespace tern::riscv
