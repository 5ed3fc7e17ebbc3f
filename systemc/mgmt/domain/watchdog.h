// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// Interrupts if software does not restart it in time, then resets the board. README.md.
class Watchdog : public WordDevice {
 public:
  // The interrupt; called when it changes, after reset() and restore() in any case.
  using Line = std::function<void(bool level)>;
  using Bite = std::function<void()>;
  struct State {
    std::uint32_t control = 0;
    std::uint32_t stage1_us = TERN_REG_WATCHDOG_STAGE1_US_RESET;
    std::uint32_t stage2_us = TERN_REG_WATCHDOG_STAGE2_US_RESET;
    bool fired = false;            // the first stage is over
    bool bitten = false;           // the second one, too
    sc_core::sc_time since_start;  // of the present period
  };

  Watchdog(sc_core::sc_module_name name, Line line, Bite bite);

  void reset() { restore({}); }
  State save() const;
  void restore(const State& state);

 private:
  SC_HAS_PROCESS(Watchdog);
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const override;
  void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;
  void before_access(const sc_core::sc_time& at) override { catch_up(at); }
  bool enabled() const;
  bool locked() const;
  sc_core::sc_time stage1_end() const;
  sc_core::sc_time stage2_end() const;
  void start(const sc_core::sc_time& at);
  void catch_up(const sc_core::sc_time& at);
  void set_level(bool level, bool always = false);
  void schedule();
  void event();

  const Line line_;
  const Bite bite_;
  State state_;                // since_start: only in snapshots
  std::uint64_t started_ = 0;  // units of time; wraps for a period that began before time 0
  bool level_ = false;
  sc_core::sc_event event_;
};

}  // namespace tern::mgmt
