// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "systemc/riscv/bus.h"
#include "systemc/riscv/csr_file.h"
#include "systemc/riscv/hart_config.h"
#include "systemc/riscv/physical_memory.h"

namespace tern::riscv {

// Why run() returned.
enum class Stop : std::uint8_t {
  kBudget,      // all cycles used
  kWaiting,     // in wfi, no interrupt is pending
  kRequest,     // request_stop()
  kBreakpoint,  // before the instruction at pc
  kWatchpoint,  // after an instruction that accessed watched bytes
  kTrap,        // with stop_at_traps, before the first instruction of the handler
};

// Bytes that a debugger watches, at virtual addresses.
struct Watchpoint {
  enum class Kind : std::uint8_t { kWrite, kRead, kAccess };
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  Kind kind = Kind::kWrite;
};

// All of a hart; a copy is a snapshot. Registers have 64 bits also on RV32.
struct HartState {
  std::array<std::uint64_t, 32> x{};
  std::array<std::uint64_t, 32> f{};
  std::uint64_t pc = 0;
  Privilege mode = Privilege::kMachine;
  CsrState csrs;
  std::uint64_t cycles = 0, retired = 0;
  bool waiting = false;
  bool reserved = false;  // by load-reserved
  std::uint64_t reservation = 0;
};

// One RISC-V hart (RV32 or RV64, IMAFDC by configuration, M, S and U mode) that interprets
// instructions in zero host-visible time: the caller gives it cycles and lets simulated time pass.
// Each instruction takes one cycle, trapped ones too. Not thread-safe; harts of one memory run
// alternately. What it does not model: README.md.
class Hart {
 public:
  static std::unique_ptr<Hart> make(const HartConfig& config, PhysicalMemory& memory, Bus& bus);
  virtual ~Hart() = default;

  // Executes at most `cycles` instructions (> 0).
  virtual Stop run(std::uint64_t cycles) = 0;
  virtual void reset() = 0;

  // Of the next instruction; within calls of the bus, of the current one.
  virtual std::uint64_t pc() const = 0;
  // Exact also within calls of the bus: instructions that came before, and their loads if those are
  // timed.
  virtual std::uint64_t cycles() const = 0;
  // Time that passes without instructions.
  virtual void idle(std::uint64_t cycles) = 0;

  // The level of an interrupt line; also from calls of the bus.
  virtual void set_interrupt(Interrupt line, bool level) = 0;
  // run() returns after the current instruction.
  virtual void request_stop() = 0;

  // The newest trap that was no interrupt.
  virtual Trap trap() const = 0;
  // After a trap because nothing can be fetched at its pc: the jump that led there. If there was
  // none, the instruction before or the pc itself.
  virtual std::uint64_t before_fetch() const = 0;

  virtual HartState save() const = 0;
  virtual void restore(const HartState& state) = 0;
  // Another hart has run, or memory was written by others: a reservation is lost.
  virtual void lose_reservation() = 0;

  // For debuggers: a register by its number (csr_numbers.h), virtual addresses as the hart sees
  // them without side effects.
  virtual bool peek_csr(unsigned number, std::uint64_t& value) = 0;
  virtual bool poke_csr(unsigned number, std::uint64_t value) = 0;
  virtual bool translate(std::uint64_t address, std::uint64_t& physical) const = 0;
  virtual void add_breakpoint(std::uint64_t pc) = 0;
  virtual void remove_breakpoint(std::uint64_t pc) = 0;
  virtual void add_watchpoint(const Watchpoint& watchpoint) = 0;
  virtual void remove_watchpoint(const Watchpoint& watchpoint) = 0;  // an equal one
  // The watchpoint of the last Stop::kWatchpoint: the first that its instruction met.
  virtual const Watchpoint& met_watchpoint() const = 0;
};

}  // namespace tern::riscv
