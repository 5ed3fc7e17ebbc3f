// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "systemc/mgmt/devices/register_device.h"

namespace tern::mgmt {

// A clock of nanoseconds with an alarm (google,goldfish-rtc). It starts at a given moment, not at
// that of the host. README.md.
class Rtc : public RegisterDevice {
 public:
  // Called when the interrupt line changes; after reset() and restore() in any case.
  using Line = std::function<void(bool level)>;
  // 1 January 2026, in ns since 1970.
  static constexpr std::uint64_t kDefaultStart = 1'767'225'600'000'000'000;

  struct State {
    std::uint64_t now = 0;   // the clock
    sc_core::sc_time in_ns;  // since the clock has this value
    std::uint64_t alarm = 0;
    std::uint32_t high = 0;  // TIME_HIGH, as TIME_LOW was read
    bool running = false;    // the alarm
    bool pending = false, enabled = false;
  };

  // Throws UserError where simulated time does not resolve nanoseconds.
  Rtc(sc_core::sc_module_name name, Line line, std::uint64_t start = kDefaultStart);

  std::uint64_t now(const sc_core::sc_time& at) const;

  // The clock begins at its start again.
  void reset();
  State save() const;
  void restore(const State& state);

 private:
  SC_HAS_PROCESS(Rtc);
  Status read(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
              std::uint64_t& value) override;
  Status write(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
               std::uint64_t value) override;
  std::uint64_t peek(std::uint64_t offset) const override;

  void set(std::uint64_t now, const sc_core::sc_time& at);
  void catch_up(const sc_core::sc_time& at);
  void update(const sc_core::sc_time& at, bool always = false);
  void event();

  const std::uint64_t unit_;  // of a nanosecond, in units of simulated time
  const std::uint64_t start_;
  const Line line_;
  bool level_ = false;
  // The clock = base_ + whole nanoseconds of (time + phase_); phase_ < unit_.
  std::uint64_t base_ = 0, phase_ = 0;
  State state_;  // `now` and `in_ns` only in snapshots
  sc_core::sc_event event_;
};

}  // namespace tern::mgmt
