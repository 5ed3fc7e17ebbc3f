// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/domain/watchdog.h"

#include <algorithm>
#include <utility>

namespace tern::mgmt {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

sc_time us(std::uint32_t count) {
  return sc_time(1, sc_core::SC_US) * count;
}

}  // namespace

Watchdog::Watchdog(sc_core::sc_module_name name, Line line, Bite bite)
    : WordDevice(name), line_(std::move(line)), bite_(std::move(bite)) {
  SC_METHOD(event);
  sensitive << event_;
  dont_initialize();
}

bool Watchdog::enabled() const {
  return (state_.control & TERN_REG_WATCHDOG_CONTROL_ENABLE_MASK) != 0;
}

bool Watchdog::locked() const {
  return (state_.control & TERN_REG_WATCHDOG_CONTROL_LOCK_MASK) != 0;
}

sc_time Watchdog::stage1_end() const {
  return started_.after(us(state_.stage1_us));
}

sc_time Watchdog::stage2_end() const {
  return stage1_end() + us(state_.stage2_us);
}

std::uint32_t Watchdog::word(std::uint64_t offset, const sc_time&) const {
  switch (offset) {
    case TERN_REG_WATCHDOG_CONTROL:
      return state_.control;
    case TERN_REG_WATCHDOG_STAGE1_US:
      return state_.stage1_us;
    case TERN_REG_WATCHDOG_STAGE2_US:
      return state_.stage2_us;
    case TERN_REG_WATCHDOG_STATUS:
      return state_.fired ? 1 : 0;
    default:
      return 0;
  }
}

void Watchdog::set_word(std::uint64_t offset, std::uint32_t value, const sc_time& at) {
  if (offset == TERN_REG_WATCHDOG_RESTART) {
    if (value == TERN_MGMT_WATCHDOG_KEY) start(at);
    return;
  }
  if (locked()) return;
  switch (offset) {
    case TERN_REG_WATCHDOG_CONTROL:
      state_.control = value & TERN_REG_WATCHDOG_CONTROL_MASK;
      start(at);
      break;
    case TERN_REG_WATCHDOG_STAGE1_US:
      state_.stage1_us = std::max(value, 1u);
      schedule();
      break;
    case TERN_REG_WATCHDOG_STAGE2_US:
      state_.stage2_us = std::max(value, 1u);
      schedule();
      break;
    default:
      break;
  }
}

void Watchdog::start(const sc_time& at) {
  started_ = Start(at);
  state_.fired = state_.bitten = false;
  set_level(false);
  schedule();
}

void Watchdog::catch_up(const sc_time& at) {
  if (!enabled()) return;
  if (!state_.fired && at >= stage1_end()) {
    state_.fired = true;
    set_level(true);
  }
  if (state_.fired && !state_.bitten && at >= stage2_end()) {
    state_.bitten = true;
    bite_();
  }
}

void Watchdog::set_level(bool level, bool always) {
  if (level == level_ && !always) return;
  level_ = level;
  if (line_) line_(level);
}

void Watchdog::schedule() {
  event_.cancel();
  if (!enabled() || state_.bitten) return;
  const sc_time next = state_.fired ? stage2_end() : stage1_end(), now = sc_time_stamp();
  event_.notify(next > now ? next - now : sc_core::SC_ZERO_TIME);
}

void Watchdog::event() {
  catch_up(sc_time_stamp());
  schedule();
}

Watchdog::State Watchdog::save() const {
  State state = state_;
  state.since_start = started_.before(sc_time_stamp());
  return state;
}

void Watchdog::restore(const State& state) {
  state_ = state;
  state_.stage1_us = std::max(state.stage1_us, 1u);
  state_.stage2_us = std::max(state.stage2_us, 1u);
  started_ = Start::ago(state.since_start);
  set_level(state_.fired, true);
  schedule();
}

}  // namespace tern::mgmt
