// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/clint.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sw/base/user_error.h"

namespace tern::mgmt {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

constexpr std::uint64_t kMtimecmp = 0x4000, kMtime = 0xBFF8;  // msip begins at 0
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned kSizes = 4 + 8;

std::uint64_t tick_period(std::uint64_t hz) {
  const std::uint64_t second = sc_time(1, sc_core::SC_SEC).value();
  if (hz == 0 || second % hz != 0) {
    throw UserError(fmt::format("timebase of {} Hz: a tick must be a whole number of {}", hz,
                                sc_core::sc_get_time_resolution().to_string()));
  }
  return second / hz;
}

unsigned checked_harts(unsigned harts) {
  if (harts == 0 || harts > Clint::kMaxHarts) {
    throw UserError(fmt::format("CLINT: {} harts, 1 to {} are possible", harts, Clint::kMaxHarts));
  }
  return harts;
}

// The register of 8 bytes after a write of one half, or of all of it.
std::uint64_t merged(std::uint64_t old, std::uint64_t offset, unsigned size, std::uint64_t value) {
  if (size == 8) return value;
  const unsigned shift = offset % 8 == 0 ? 0 : 32;
  return (old & ~(std::uint64_t{0xFFFFFFFF} << shift)) | value << shift;
}

}  // namespace

Clint::Clint(sc_core::sc_module_name name, const Config& config, Line timer, Line software)
    : RegisterDevice(name, kSizes, kClintBytes),
      period_(tick_period(config.timebase_hz)),
      timer_(std::move(timer)),
      software_(std::move(software)),
      timers_(checked_harts(config.harts)),
      msip_(config.harts) {
  SC_METHOD(lines_change);
  sensitive << change_;
  dont_initialize();
}

std::uint64_t Clint::ticks(const sc_time& at) const {
  return (at.value() + phase_) / period_;
}

std::uint64_t Clint::mtime(const sc_time& at) const {
  return base_ + ticks(at);
}

// When mtime has been counted up `more` times after `at`; sc_max_time() beyond simulated time.
sc_time Clint::time_after(std::uint64_t more, const sc_time& at) const {
  const std::uint64_t now = ticks(at);
  if (more > kNever / period_ - now) return sc_core::sc_max_time();
  return sc_time::from_value((now + more) * period_ - phase_);
}

// mtime >= mtimecmp makes the line high. It falls when mtime wraps, which happens only after
// software has set it close to its end.
bool Clint::set_timer(unsigned hart, const sc_time& at) {
  Timer& timer = timers_[hart];
  const std::uint64_t now = mtime(at);
  const bool level = now >= timer.compare;
  const std::uint64_t more = (level ? 0 : timer.compare) - now;
  const bool forever = level && timer.compare == 0;
  timer.change = forever ? sc_core::sc_max_time() : time_after(more, at);
  schedule();
  return std::exchange(timer.level, level) != level;
}

void Clint::evaluate(unsigned hart, const sc_time& at, bool always) {
  const bool changed = set_timer(hart, at);
  if ((changed || always) && timer_) timer_(hart, timers_[hart].level);
}

void Clint::align(unsigned hart, const sc_time& at) {
  set_timer(hart, at);
}

void Clint::evaluate_all(const sc_time& at, bool always) {
  for (unsigned hart = 0; hart < timers_.size(); ++hart) evaluate(hart, at, always);
}

void Clint::schedule() {
  sc_time first = sc_core::sc_max_time();
  for (const Timer& timer : timers_) first = std::min(first, timer.change);
  change_.cancel();
  if (first == sc_core::sc_max_time()) return;
  const sc_time now = sc_time_stamp();
  change_.notify(first > now ? first - now : sc_core::SC_ZERO_TIME);
}

// Only lines that are due: those of a hart that is ahead have been evaluated at its time.
void Clint::lines_change() {
  const sc_time now = sc_time_stamp();
  for (unsigned hart = 0; hart < timers_.size(); ++hart) {
    if (timers_[hart].change <= now) evaluate(hart, now);
  }
  schedule();
}

void Clint::advance(unsigned hart, const sc_time& at) {
  if (timers_[hart].change <= at) evaluate(hart, at);
}

std::uint64_t Clint::timer_register(std::uint64_t offset, const sc_time& at) const {
  if (offset == kMtime) return mtime(at);
  const std::uint64_t hart = (offset - kMtimecmp) / 8;
  return offset >= kMtimecmp && hart < timers_.size() ? timers_[hart].compare : 0;
}

RegisterDevice::Status Clint::read(std::uint64_t offset, unsigned size, const sc_time& at,
                                   std::uint64_t& value) {
  if (offset < kMtimecmp) {
    if (size != 4) return tlm::TLM_BURST_ERROR_RESPONSE;
    value = offset / 4 < msip_.size() && msip_[offset / 4] ? 1 : 0;
    return kDone;
  }
  value = timer_register(offset - offset % 8, at);
  if (size == 4) value = offset % 8 == 0 ? value & 0xFFFFFFFF : value >> 32;
  return kDone;
}

RegisterDevice::Status Clint::write(std::uint64_t offset, unsigned size, const sc_time& at,
                                    std::uint64_t value) {
  if (offset < kMtimecmp) {
    if (size != 4) return tlm::TLM_BURST_ERROR_RESPONSE;
    const std::uint64_t hart = offset / 4;
    const bool level = (value & 1) != 0;
    if (hart >= msip_.size() || msip_[hart] == level) return kDone;
    msip_[hart] = level;
    if (software_) software_(static_cast<unsigned>(hart), level);
    return kDone;
  }
  const std::uint64_t base = offset - offset % 8;
  const std::uint64_t whole = merged(timer_register(base, at), offset, size, value);
  if (base == kMtime) {
    set_mtime(whole, at);
    evaluate_all(at);
  } else if (const std::uint64_t hart = (base - kMtimecmp) / 8; hart < timers_.size()) {
    timers_[hart].compare = whole;
    evaluate(static_cast<unsigned>(hart), at);
  }
  return kDone;
}

std::uint64_t Clint::peek(std::uint64_t offset) const {
  if (offset < kMtimecmp) return offset / 4 < msip_.size() && msip_[offset / 4] ? 1 : 0;
  const std::uint64_t value = timer_register(offset - offset % 8, sc_time_stamp());
  return offset % 8 == 0 ? value : value >> 32;
}

// The ticks stay where they are in time.
void Clint::set_mtime(std::uint64_t value, const sc_time& at) {
  base_ = value - ticks(at);
}

void Clint::reset() {
  State state;
  state.mtimecmp.assign(timers_.size(), kNever);
  state.msip.assign(msip_.size(), 0);
  restore(state);
}

Clint::State Clint::save() const {
  const sc_time now = sc_time_stamp();
  State state;
  state.mtime = mtime(now);
  state.in_tick = sc_time::from_value((now.value() + phase_) % period_);
  for (const Timer& timer : timers_) state.mtimecmp.push_back(timer.compare);
  state.msip.assign(msip_.begin(), msip_.end());
  return state;
}

void Clint::restore(const State& state) {
  if (state.mtimecmp.size() != timers_.size() || state.msip.size() != msip_.size()) {
    throw RunError("CLINT: the snapshot is one of another number of harts");
  }
  const std::uint64_t now = sc_time_stamp().value();
  phase_ = (state.in_tick.value() % period_ + period_ - now % period_) % period_;
  set_mtime(state.mtime, sc_time_stamp());
  for (unsigned hart = 0; hart < timers_.size(); ++hart) {
    timers_[hart].compare = state.mtimecmp[hart];
    msip_[hart] = state.msip[hart] != 0;
  }
  evaluate_all(sc_time_stamp(), true);
  for (unsigned hart = 0; hart < msip_.size(); ++hart) {
    if (software_) software_(hart, msip_[hart]);
  }
}

}  // namespace tern::mgmt
