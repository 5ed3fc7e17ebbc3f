// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <systemc>
#include <vector>

#include "systemc/mgmt/board/address_router.h"
#include "systemc/mgmt/board/instruction_observer.h"
#include "systemc/mgmt/devices/clint.h"
#include "systemc/riscv/hart.h"

namespace tern::mgmt {

// One hart with its own time, which is ahead of the simulation by at most a quantum. Each
// instruction takes the same time. The timer interrupt arrives at the instruction at which it is
// due.
class HartRunner final : private riscv::Bus {
 public:
  enum class Ended : std::uint8_t { kArrived, kStopped, kBreakpoint, kWatchpoint, kLimit };
  // Of a call of run(), in addition to its end.
  struct Limit {
    std::uint64_t cycles = std::numeric_limits<std::uint64_t>::max();  // of the hart
    bool single = false;                                               // one instruction
  };
  // Of an interrupt line, by a hart or device that was ahead of this one.
  struct Change {
    std::uint64_t at_fs = 0;
    riscv::Interrupt line = riscv::Interrupt::kMachineSoftware;
    bool level = false;
  };
  // Times are relative to the simulation's; a sleeping hart may be behind, as its complement.
  struct State {
    riscv::HartState hart;
    std::uint64_t ahead_fs = 0;
    bool asleep = false, roused = false;
    std::vector<Change> changes;
  };

  HartRunner(const riscv::HartConfig& config, std::uint64_t instruction_fs,
             riscv::PhysicalMemory& memory, AddressRouter& router, Clint& clint);

  // Until its time is at least `end`, or it is stopped. To stop it at a limit and to run it again
  // changes nothing.
  Ended run(const sc_core::sc_time& end, const Limit& limit);
  // One instruction, for a debugger; a hart in wfi executes the one after it.
  Ended step();
  // run() returns after the current instruction.
  void stop();
  // late: how much later than the time that observers are given the simulation's is.
  void set_observer(InstructionObserver* observer, const sc_core::sc_time& late) {
    observer_ = observer;
    late_ = late;
  }
  // Time passes without instructions until its time is at least `end`.
  void idle(const sc_core::sc_time& end);
  // An interrupt line; at: when it changes. The newest call counts, whenever the change arrives.
  void set_line(riscv::Interrupt line, bool level, const sc_core::sc_time& at);
  // Another hart has run, or another master has written to memory.
  void lose_reservation() { hart_->lose_reservation(); }
  // Power on; its time and its count of instructions continue.
  void reset();

  // Its own time: of the current instruction within calls of a device.
  sc_core::sc_time now() const;
  // In wfi, and no line has risen since.
  bool asleep() const;
  std::uint64_t instructions() const { return hart_->save().retired; }
  // Its cycles after the newest instruction of the newest run() or step(); 0: there was none.
  std::uint64_t executed() const { return executed_; }
  riscv::Hart& hart() { return *hart_; }

  State save() const;
  // After devices have reported their lines.
  void restore(const State& state);

 private:
  bool read(std::uint64_t address, void* data, unsigned bytes) override;
  bool write(std::uint64_t address, const void* data, unsigned bytes) override;
  std::uint64_t time() override { return clint_.mtime(now()); }

  Ended settled(Ended ended);
  void catch_up();
  void apply(riscv::Interrupt line, bool level);
  std::uint64_t cycles_until(const sc_core::sc_time& end) const;
  sc_core::sc_time delay() const;

  const unsigned number_;
  const std::uint64_t step_;  // of an instruction, in units of simulated time
  AddressRouter& router_;
  Clint& clint_;
  std::unique_ptr<riscv::Hart> hart_;
  std::uint64_t origin_ = 0;  // when its cycle 0 was; wraps
  sc_core::sc_time target_;   // of the present call of the hart
  bool stop_ = false;
  bool asleep_ = false, roused_ = false;
  std::uint64_t executed_ = 0;
  InstructionObserver* observer_ = nullptr;
  sc_core::sc_time late_;
  std::vector<Change> changes_;  // by time, in units of simulated time
};

}  // namespace tern::mgmt
