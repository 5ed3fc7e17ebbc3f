// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/power_control.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tern::mgmt {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

PowerControl::PowerControl(sc_core::sc_module_name name, std::uint32_t max_step, double interval_us,
                           Handler handler)
    : WordDevice(name),
      max_step_(max_step),
      interval_us_(interval_us),
      interval_(interval_us, sc_core::SC_US),
      handler_(std::move(handler)) {}

std::uint32_t PowerControl::level(const sc_time& at) const {
  const std::uint64_t passed = since_.until(at).value() / interval_.value();
  const std::uint64_t moved = std::min<std::uint64_t>(passed * state_.step, kFull);
  const auto by = static_cast<std::uint32_t>(moved);
  if (state_.target > state_.from) return std::min(state_.target, state_.from + by);
  return std::max(state_.target, state_.from - std::min(by, state_.from));
}

std::uint32_t PowerControl::word(std::uint64_t offset, const sc_time& at) const {
  switch (offset) {
    case TERN_REG_POWER_TARGET:
      return state_.target;
    case TERN_REG_POWER_LEVEL:
      return level(at);
    case TERN_REG_POWER_STEP:
      return state_.step;
    case TERN_REG_POWER_MAX_STEP:
      return max_step_;
    case TERN_REG_POWER_INTERVAL_US:
      return static_cast<std::uint32_t>(std::lround(interval_us_));
    default:
      return 0;
  }
}

void PowerControl::set_word(std::uint64_t offset, std::uint32_t value, const sc_time& at) {
  if (offset != TERN_REG_POWER_TARGET && offset != TERN_REG_POWER_STEP) return;
  state_.from = level(at);
  since_ = Start(at);
  if (offset == TERN_REG_POWER_STEP) {
    state_.step = std::clamp(value, 1u, max_step_);
  } else {
    state_.target = std::min(value, kFull);
    if (handler_) handler_(state_.target, at);
  }
}

void PowerControl::reset() {
  restore({});
  if (handler_) handler_(0, sc_time_stamp());
}

PowerControl::State PowerControl::save() const {
  State state = state_;
  const sc_time now = sc_time_stamp();
  state.from = level(now);
  // Of the interval that has begun, or until the one that a hart which is ahead has begun.
  const sc_time passed = since_.until(now);
  state.passed = passed == sc_core::SC_ZERO_TIME
                     ? since_.before(now)
                     : sc_time::from_value(passed.value() % interval_.value());
  return state;
}

void PowerControl::restore(const State& state) {
  state_ = state;
  state_.step = std::clamp(state.step, 1u, max_step_);
  since_ = Start::ago(state.passed);
}

}  // namespace tern::mgmt
