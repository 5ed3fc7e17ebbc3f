// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/hart_runner.h"

#include <algorithm>

namespace tern::mgmt {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

HartRunner::HartRunner(const riscv::HartConfig& config, std::uint64_t instruction_fs,
                       riscv::PhysicalMemory& memory, AddressRouter& router, Clint& clint)
    : number_(config.hart_id),
      step_(instruction_fs),
      router_(router),
      clint_(clint),
      hart_(riscv::Hart::make(config, memory, *this)) {}

sc_time HartRunner::now() const {
  return sc_time::from_value(origin_ + hart_->cycles() * step_);
}

sc_time HartRunner::delay() const {
  const sc_time here = now(), there = sc_time_stamp();
  return here > there ? here - there : sc_core::SC_ZERO_TIME;
}

std::uint64_t HartRunner::cycles_until(const sc_time& end) const {
  const sc_time here = now();
  return end <= here ? 0 : ((end - here).value() + step_ - 1) / step_;
}

void HartRunner::idle(const sc_time& end) {
  const std::uint64_t cycles = cycles_until(end);
  if (cycles != 0) hart_->idle(cycles);
}

HartRunner::Ended HartRunner::run(const sc_time& end, const Limit& limit) {
  executed_ = 0;
  if (asleep_) idle(std::min(end, sc_time_stamp()));
  roused_ = false;
  for (;;) {
    catch_up();
    const std::uint64_t before = hart_->cycles();
    if (before >= limit.cycles) return Ended::kLimit;
    if (now() >= end) return Ended::kArrived;
    target_ = std::min(end, clint_.next_timer(number_));
    if (!changes_.empty()) target_ = std::min(target_, sc_time::from_value(changes_[0].at_fs));
    if (observer_ != nullptr) observer_->instruction(number_, *hart_, now() - late_);
    const bool single = limit.single || observer_ != nullptr;
    const riscv::Stop why =
        hart_->run(single ? 1 : std::min(cycles_until(target_), limit.cycles - before));
    asleep_ = why == riscv::Stop::kWaiting;
    roused_ = false;  // what has risen until now is not enabled
    if (hart_->cycles() != before) executed_ = hart_->cycles();
    if (stop_) {
      stop_ = false;
      return settled(Ended::kStopped);
    }
    if (why == riscv::Stop::kBreakpoint) return Ended::kBreakpoint;
    if (why == riscv::Stop::kWatchpoint) return settled(Ended::kWatchpoint);
    if (executed_ != 0 && (limit.single || executed_ >= limit.cycles))
      return settled(Ended::kLimit);
    if (asleep_) idle(target_);
  }
}

// A stop is always the same state, whatever asked for it: what is due now has come.
HartRunner::Ended HartRunner::settled(Ended ended) {
  catch_up();
  return ended;
}

bool HartRunner::asleep() const {
  if (!asleep_ || roused_ || !changes_.empty()) return false;
  // A debugger may have changed its registers.
  const riscv::HartState state = hart_->save();
  return state.waiting && ((state.csrs.mip | state.csrs.lines) & state.csrs.mie) == 0;
}

HartRunner::Ended HartRunner::step() {
  if (asleep_) {
    idle(sc_time_stamp());
    riscv::HartState state = hart_->save();
    state.waiting = false;
    hart_->restore(state);
  }
  executed_ = 0;
  roused_ = false;
  catch_up();
  target_ = clint_.next_timer(number_);
  if (observer_ != nullptr) observer_->instruction(number_, *hart_, now() - late_);
  const std::uint64_t before = hart_->cycles();
  riscv::Stop why = hart_->run(1);
  // A request that came with an earlier stop.
  while (why == riscv::Stop::kRequest && hart_->cycles() == before) why = hart_->run(1);
  asleep_ = why == riscv::Stop::kWaiting;
  if (hart_->cycles() != before) executed_ = hart_->cycles();
  stop_ = false;
  catch_up();
  if (why == riscv::Stop::kBreakpoint) return Ended::kBreakpoint;
  return why == riscv::Stop::kWatchpoint ? Ended::kWatchpoint : Ended::kStopped;
}

void HartRunner::stop() {
  stop_ = true;
  hart_->request_stop();
}

void HartRunner::set_line(riscv::Interrupt line, bool level, const sc_time& at) {
  const auto same = [line](const Change& change) { return change.line == line; };
  changes_.erase(std::remove_if(changes_.begin(), changes_.end(), same), changes_.end());
  if (at <= now()) return apply(line, level);
  const Change change{at.value(), line, level};
  const auto later = [](const Change& a, const Change& b) { return a.at_fs < b.at_fs; };
  changes_.insert(std::upper_bound(changes_.begin(), changes_.end(), change, later), change);
}

void HartRunner::apply(riscv::Interrupt line, bool level) {
  hart_->set_interrupt(line, level);
  roused_ = roused_ || (level && asleep_);
}

void HartRunner::catch_up() {
  clint_.advance(number_, now());
  while (!changes_.empty() && changes_[0].at_fs <= now().value()) {
    const Change change = changes_[0];
    changes_.erase(changes_.begin());
    apply(change.line, change.level);
  }
}

void HartRunner::reset() {
  hart_->reset();
  asleep_ = roused_ = false;
  changes_.clear();
}

bool HartRunner::read(std::uint64_t address, void* data, unsigned bytes) {
  return router_.access(tlm::TLM_READ_COMMAND, address, data, bytes, delay());
}

bool HartRunner::write(std::uint64_t address, const void* data, unsigned bytes) {
  const bool done =
      router_.access(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), bytes, delay());
  // The timer may be due earlier now: run() divides the time anew.
  if (clint_.next_timer(number_) < target_) hart_->request_stop();
  return done;
}

HartRunner::State HartRunner::save() const {
  const std::uint64_t there = sc_time_stamp().value();
  State state{hart_->save(), now().value() - there, asleep_, roused_, changes_};
  for (Change& change : state.changes) change.at_fs -= there;
  return state;
}

void HartRunner::restore(const State& state) {
  const std::uint64_t there = sc_time_stamp().value();
  hart_->restore(state.hart);
  origin_ = there + state.ahead_fs - state.hart.cycles * step_;
  asleep_ = state.asleep;
  roused_ = state.roused;
  changes_ = state.changes;
  for (Change& change : changes_) change.at_fs += there;
  stop_ = false;
  // A sleeping hart that is behind could be before the start of a simulation that has just begun.
  const std::uint64_t behind_fs = 0 - state.ahead_fs;
  if (static_cast<std::int64_t>(behind_fs) > 0 && behind_fs > there)
    hart_->idle((behind_fs + step_ - 1) / step_);
  if (now() > sc_time_stamp()) clint_.align(number_, now());
}

}  // namespace tern::mgmt
