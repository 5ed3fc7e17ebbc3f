// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "sw/spec/generated/mgmt.h"
#include "systemc/mgmt/domain/word_device.h"

namespace tern::mgmt {

// The power that the chip may use, in permille; it changes in steps, which bounds dI/dt. README.md.
class PowerControl : public WordDevice {
 public:
  static constexpr std::uint32_t kFull = 1000;
  // A new target, at the time of the hart that wrote it.
  using Handler = std::function<void(std::uint32_t target, const sc_core::sc_time& at)>;
  struct State {
    std::uint32_t target = 0, step = 1;
    std::uint32_t from = 0;  // the level when target or step were written
    sc_core::sc_time since;  // then; in a snapshot how long ago
  };

  PowerControl(sc_core::sc_module_name name, std::uint32_t max_step, double interval_us,
               Handler handler);

  std::uint32_t level(const sc_core::sc_time& at) const;

  // Level and target become 0 at once: the chip is in reset.
  void reset();
  State save() const;
  void restore(const State& state);

 private:
  std::uint32_t word(std::uint64_t offset, const sc_core::sc_time& at) const override;
  void set_word(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) override;

  const std::uint32_t max_step_;
  const double interval_us_;
  const sc_core::sc_time interval_;
  const Handler handler_;
  State state_;
};

}  // namespace tern::mgmt
