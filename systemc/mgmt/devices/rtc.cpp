// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/rtc.h"

#include <limits>
#include <utility>

#include "sw/base/user_error.h"
#include "systemc/mgmt/devices/memory_map.h"

namespace tern::mgmt {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

enum : unsigned {
  kTimeLow = 0x00,
  kTimeHigh = 0x04,
  kAlarmLow = 0x08,
  kAlarmHigh = 0x0C,
  kIrqEnabled = 0x10,
  kClearAlarm = 0x14,
  kAlarmStatus = 0x18,
  kClearInterrupt = 0x1C
};

std::uint64_t nanosecond() {
  const double units = sc_time(1, sc_core::SC_SEC) / sc_core::sc_get_time_resolution() / 1e9;
  if (units < 1) throw UserError("RTC: simulated time must resolve a nanosecond");
  return sc_time(1, sc_core::SC_NS).value();
}

std::uint64_t with_low(std::uint64_t value, std::uint64_t low) {
  return (value & ~std::uint64_t{0xFFFFFFFF}) | low;
}
std::uint64_t with_high(std::uint64_t value, std::uint64_t high) {
  return (value & 0xFFFFFFFF) | high << 32;
}

}  // namespace

Rtc::Rtc(sc_core::sc_module_name name, Line line, std::uint64_t start)
    : RegisterDevice(name, 4, kRtcBytes),
      unit_(nanosecond()),
      start_(start),
      line_(std::move(line)) {
  set(start_, sc_time_stamp());
  SC_METHOD(event);
  sensitive << event_;
  dont_initialize();
}

std::uint64_t Rtc::now(const sc_time& at) const {
  return base_ + (at.value() + phase_) / unit_;
}

// The nanoseconds stay where they are in time.
void Rtc::set(std::uint64_t now, const sc_time& at) {
  base_ = now - (at.value() + phase_) / unit_;
}

// The alarm is due once the clock has reached it.
void Rtc::catch_up(const sc_time& at) {
  if (!state_.running || now(at) < state_.alarm) return;
  state_.running = false;
  state_.pending = true;
}

void Rtc::update(const sc_time& at, bool always) {
  catch_up(at);
  event_.cancel();
  if (state_.running) {
    constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t past = (at.value() + phase_) / unit_, more = state_.alarm - now(at);
    if (more <= kEnd / unit_ - past) {
      event_.notify(sc_time::from_value((past + more) * unit_ - phase_) - sc_time_stamp());
    }
  }
  const bool level = state_.pending && state_.enabled;
  if (level == level_ && !always) return;
  level_ = level;
  if (line_) line_(level);
}

void Rtc::event() {
  update(sc_time_stamp());
}

std::uint64_t Rtc::peek(std::uint64_t offset) const {
  switch (offset) {
    case kTimeLow:
      return now(sc_time_stamp()) & 0xFFFFFFFF;
    case kTimeHigh:
      return state_.high;
    case kAlarmLow:
      return state_.alarm & 0xFFFFFFFF;
    case kAlarmHigh:
      return state_.alarm >> 32;
    case kIrqEnabled:
      return state_.enabled ? 1 : 0;
    case kAlarmStatus:
      return state_.running ? 1 : 0;
    default:
      return 0;
  }
}

RegisterDevice::Status Rtc::read(std::uint64_t offset, unsigned, const sc_time& at,
                                 std::uint64_t& value) {
  catch_up(at);
  if (offset == kTimeLow) {
    state_.high = static_cast<std::uint32_t>(now(at) >> 32);
    value = now(at) & 0xFFFFFFFF;
  } else {
    value = peek(offset);
  }
  update(at);
  return kDone;
}

RegisterDevice::Status Rtc::write(std::uint64_t offset, unsigned, const sc_time& at,
                                  std::uint64_t value) {
  catch_up(at);
  switch (offset) {
    case kTimeLow:
      set(with_low(now(at), value), at);
      break;
    case kTimeHigh:
      set(with_high(now(at), value), at);
      break;
    case kAlarmLow:
      state_.alarm = with_low(state_.alarm, value);
      state_.running = true;
      break;
    case kAlarmHigh:
      state_.alarm = with_high(state_.alarm, value);
      break;
    case kIrqEnabled:
      state_.enabled = (value & 1) != 0;
      break;
    case kClearAlarm:
      state_.running = false;
      break;
    case kClearInterrupt:
      state_.pending = false;
      break;
    default:
      break;
  }
  update(at);
  return kDone;
}

void Rtc::reset() {
  State state;
  state.now = start_;
  restore(state);
}

Rtc::State Rtc::save() const {
  const sc_time at = sc_time_stamp();
  State state = state_;
  state.now = now(at);
  state.in_ns = sc_time::from_value((at.value() + phase_) % unit_);
  return state;
}

void Rtc::restore(const State& state) {
  const sc_time now = sc_time_stamp();
  state_ = state;
  phase_ = (state.in_ns.value() % unit_ + unit_ - now.value() % unit_) % unit_;
  set(state.now, now);
  update(now, true);
}

}  // namespace tern::mgmt
