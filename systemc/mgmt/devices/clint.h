// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "systemc/mgmt/devices/memory_map.h"
#include "systemc/mgmt/devices/register_device.h"

namespace tern::mgmt {

// Core-local interruptor: software interrupts (MSWI) and the timer (MTIMER) of the harts.
// README.md.
class Clint : public RegisterDevice {
 public:
  static constexpr unsigned kMaxHarts = 4095;
  // Called when the level of a hart's line changes; after reset() and restore() in any case.
  using Line = std::function<void(unsigned hart, bool level)>;

  struct Config {
    unsigned harts = 1;
    // A whole number of units of the simulation's resolution must make a tick.
    std::uint64_t timebase_hz = kTimebaseHz;
  };
  struct State {
    std::uint64_t mtime = 0;
    sc_core::sc_time in_tick;  // since mtime has this value
    std::vector<std::uint64_t> mtimecmp;
    std::vector<std::uint8_t> msip;
  };

  // Throws UserError.
  Clint(sc_core::sc_module_name name, const Config& config, Line timer, Line software);

  // At any time, also one ahead of the simulation: a hart's `time` register.
  std::uint64_t mtime(const sc_core::sc_time& at) const;
  // The simulated time at which the hart's timer line changes next; sc_max_time(): never.
  sc_core::sc_time next_timer(unsigned hart) const { return timers_[hart].change; }
  // A hart that is ahead of the simulation has arrived at this time: its timer line follows now,
  // not when the simulation arrives.
  void advance(unsigned hart, const sc_core::sc_time& at);

  // After restore(): a hart that is ahead has its timer line of this time already.
  void align(unsigned hart, const sc_core::sc_time& at);

  void reset();
  State save() const;
  // Throws RunError for another number of harts.
  void restore(const State& state);

 private:
  SC_HAS_PROCESS(Clint);
  struct Timer {
    std::uint64_t compare = ~std::uint64_t{0};
    bool level = false;
    sc_core::sc_time change = sc_core::sc_max_time();
  };

  Status read(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
              std::uint64_t& value) override;
  Status write(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
               std::uint64_t value) override;
  std::uint64_t peek(std::uint64_t offset) const override;

  std::uint64_t timer_register(std::uint64_t offset, const sc_core::sc_time& at) const;
  std::uint64_t ticks(const sc_core::sc_time& at) const;
  sc_core::sc_time time_after(std::uint64_t more, const sc_core::sc_time& at) const;
  void set_mtime(std::uint64_t value, const sc_core::sc_time& at);
  void evaluate(unsigned hart, const sc_core::sc_time& at, bool always = false);
  bool set_timer(unsigned hart, const sc_core::sc_time& at);
  void evaluate_all(const sc_core::sc_time& at, bool always = false);
  void schedule();
  void lines_change();

  const std::uint64_t period_;  // of a tick, in units of time
  const Line timer_, software_;
  // mtime = base_ + whole ticks of (time + phase_); phase_ < period_.
  std::uint64_t base_ = 0, phase_ = 0;
  std::vector<Timer> timers_;
  std::vector<bool> msip_;
  sc_core::sc_event change_;
};

}  // namespace tern::mgmt
