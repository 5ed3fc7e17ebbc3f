// SPDX-License-Identifier: Apache-2.0
// Traps, interrupts, returns from them, and control and status registers.
#include "systemc/riscv/core.h"

namespace tern::riscv {

template <typename X, bool kTimed>
void Core<X, kTimed>::take_trap(const Trap& trap, X pc) {
  ++not_retired_;
  enter(static_cast<std::uint64_t>(trap.cause), false, trap.value, pc);
}

template <typename X, bool kTimed>
void Core<X, kTimed>::enter(std::uint64_t cause, bool interrupt, std::uint64_t value, X pc) {
  CsrState& s = csrs_.state;
  const std::uint64_t delegated = interrupt ? s.mideleg : s.medeleg;
  const bool to_supervisor =
      config_.supervisor && mode_ != Privilege::kMachine && ((delegated >> cause) & 1) != 0;
  const std::uint64_t code = cause | (interrupt ? csrs_.interrupt_bit() : 0);
  const auto from = static_cast<std::uint64_t>(mode_);
  const std::uint64_t vector = to_supervisor ? s.stvec : s.mtvec;
  if (to_supervisor) {
    s.sepc = pc;
    s.scause = code;
    s.stval = static_cast<X>(value);
    const bool enabled = (s.mstatus & csr::kSieBit) != 0;
    s.mstatus &= ~(csr::kSieBit | csr::kSpie | csr::kSpp);
    s.mstatus |= (enabled ? csr::kSpie : 0) | (from != 0 ? csr::kSpp : 0);
    mode_ = Privilege::kSupervisor;
  } else {
    s.mepc = pc;
    s.mcause = code;
    s.mtval = static_cast<X>(value);
    const bool enabled = (s.mstatus & csr::kMieBit) != 0;
    s.mstatus &= ~(csr::kMieBit | csr::kMpie | csr::kMpp);
    s.mstatus |= (enabled ? csr::kMpie : 0) | from << csr::kMppShift;
    mode_ = Privilege::kMachine;
  }
  pc_ = static_cast<X>((vector & ~std::uint64_t{3}) +
                       (interrupt && (vector & 1) != 0 ? 4 * cause : 0));
  use_mode();
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::take_interrupt() {
  const CsrState& s = csrs_.state;
  const std::uint64_t pending = csrs_.pending();
  if (pending == 0) return false;
  std::uint64_t taken = 0;
  if (mode_ != Privilege::kMachine || (s.mstatus & csr::kMieBit) != 0) taken = pending & ~s.mideleg;
  const bool supervisor_may = mode_ == Privilege::kUser ||
                              (mode_ == Privilege::kSupervisor && (s.mstatus & csr::kSieBit) != 0);
  if (taken == 0 && supervisor_may) taken = pending & s.mideleg;
  if (taken == 0) return false;
  for (const Interrupt interrupt : {Interrupt::kMachineExternal, Interrupt::kMachineSoftware,
                                    Interrupt::kMachineTimer, Interrupt::kSupervisorExternal,
                                    Interrupt::kSupervisorSoftware, Interrupt::kSupervisorTimer}) {
    const auto number = static_cast<unsigned>(interrupt);
    if (((taken >> number) & 1) == 0) continue;
    enter(number, true, 0, pc_);
    return true;
  }
  return false;
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::return_from(Privilege level) {
  CsrState& s = csrs_.state;
  if (mode_ < level) return false;
  if (level == Privilege::kMachine) {
    mode_ = static_cast<Privilege>((s.mstatus & csr::kMpp) >> csr::kMppShift);
    const bool enable = (s.mstatus & csr::kMpie) != 0;
    s.mstatus &= ~(csr::kMieBit | csr::kMpp);
    s.mstatus |= csr::kMpie | (enable ? csr::kMieBit : 0) | (config_.user ? 0 : csr::kMpp);
    pc_ = static_cast<X>(s.mepc);
  } else {
    if (mode_ == Privilege::kSupervisor && (s.mstatus & csr::kTsr) != 0) return false;
    mode_ = (s.mstatus & csr::kSpp) != 0 ? Privilege::kSupervisor : Privilege::kUser;
    const bool enable = (s.mstatus & csr::kSpie) != 0;
    s.mstatus &= ~(csr::kSieBit | csr::kSpp);
    s.mstatus |= csr::kSpie | (enable ? csr::kSieBit : 0);
    pc_ = static_cast<X>(s.sepc);
  }
  if (mode_ != Privilege::kMachine) s.mstatus &= ~csr::kMprv;
  use_mode();
  return true;
}

// Below M mode wfi needs TW = 0; in U mode it is illegal where there is an S mode.
template <typename X, bool kTimed>
bool Core<X, kTimed>::may_wait() const {
  if (mode_ == Privilege::kMachine) return true;
  if ((csrs_.state.mstatus & csr::kTw) != 0) return false;
  return mode_ == Privilege::kSupervisor || !config_.supervisor;
}

template <typename X, bool kTimed>
Counts Core<X, kTimed>::counts() {
  return {cycles(), cycles() - load_cycles_ - not_retired_, bus_.time()};
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::csr_access(const Op& op, Instruction instruction) {
  const auto number = static_cast<unsigned>(op.imm);
  const bool of_register = instruction == Instruction::csrrw || instruction == Instruction::csrrs ||
                           instruction == Instruction::csrrc;
  const std::uint64_t operand = of_register ? x_[op.rs1] : op.rs1;
  const bool replaces = instruction == Instruction::csrrw || instruction == Instruction::csrrwi;
  const bool sets = instruction == Instruction::csrrs || instruction == Instruction::csrrsi;
  const Counts now = counts();
  std::uint64_t old = 0;
  if (!csrs_.read(number, mode_, now, old)) return false;
  if (replaces || op.rs1 != 0) {
    const std::uint64_t old_status = csrs_.state.mstatus;
    // Lines from outside are read, but never become software's bits.
    std::uint64_t base = old;
    if (number == csr::kMip) base = csrs_.state.mip;
    if (number == csr::kSip) base = csrs_.state.mip & csrs_.state.mideleg;
    const std::uint64_t value = replaces ? operand : sets ? base | operand : base & ~operand;
    if (!csrs_.write(number, mode_, now, value)) return false;
    after_csr(number, old_status);
  }
  x_[op.rd] = static_cast<X>(old);
  return true;
}

template <typename X, bool kTimed>
void Core<X, kTimed>::after_csr(unsigned number, std::uint64_t old_status) {
  if (number <= csr::kFcsr) csrs_.state.mstatus |= csr::kFs;
  const bool pmp = number >= csr::kPmpcfg0 && number <= csr::kPmpaddr15;
  if (number == csr::kSatp || pmp) return flush_all();
  if (number != csr::kMstatus && number != csr::kSstatus) return;
  if (((csrs_.state.mstatus ^ old_status) & (csr::kSum | csr::kMxr)) != 0) flush_data();
  use_mode();
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::peek_csr(unsigned number, std::uint64_t& value) {
  return csrs_.peek(number, counts(), value);
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::poke_csr(unsigned number, std::uint64_t value) {
  const std::uint64_t old_status = csrs_.state.mstatus;
  if (!csrs_.write(number, Privilege::kMachine, counts(), value)) return false;
  after_csr(number, old_status);
  return true;
}

template <typename X, bool kTimed>
bool Core<X, kTimed>::float_context(unsigned mode, FloatContext& context) const {
  const std::uint64_t rounding = mode == 7 ? csrs_.state.frm : mode;
  if (rounding > 4) return false;
  context.rounding = static_cast<Rounding>(rounding);
  return true;
}

template <typename X, bool kTimed>
void Core<X, kTimed>::float_done(const FloatContext& context) {
  csrs_.state.fflags |= context.flags;
  csrs_.state.mstatus |= csr::kFs;
}

template class Core<std::uint32_t, false>;
template class Core<std::uint32_t, true>;
template class Core<std::uint64_t, false>;

}  // namespace tern::riscv
