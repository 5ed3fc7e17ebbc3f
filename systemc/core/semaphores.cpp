// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/semaphores.h"

#include <algorithm>
#include <iterator>

namespace tern {

bool condition_holds(unsigned wait_cond, std::uint32_t value, std::uint32_t operand) {
  switch (wait_cond) {
    case TERN_WAIT_COND_EQ:
    case TERN_WAIT_COND_EVENT:
      return value == operand;
    case TERN_WAIT_COND_NE:
      return value != operand;
    case TERN_WAIT_COND_GE:
      return value >= operand;
    case TERN_WAIT_COND_GT:
      return value > operand;
    case TERN_WAIT_COND_LE:
      return value <= operand;
    case TERN_WAIT_COND_LT:
      return value < operand;
    default:
      return true;
  }
}

sc_core::sc_time Semaphores::latency(unsigned source, unsigned queue) const {
  if (source == queue) return sc_core::SC_ZERO_TIME;
  return source == kOutside ? latency_.outside : latency_.engine;
}

void Semaphores::remember(Semaphore& semaphore, const Change& change) const {
  const sc_core::sc_time longest = std::max(latency_.engine, latency_.outside);
  std::vector<Change>& recent = semaphore.recent;
  auto settled = recent.begin();
  while (settled != recent.end() && settled->at + longest <= change.at) ++settled;
  if (settled != recent.begin()) semaphore.settled = std::prev(settled)->value;
  recent.erase(recent.begin(), settled);
  recent.push_back(change);
}

std::optional<sc_core::sc_time> Semaphores::met_at(const Semaphore& semaphore,
                                                   const tern_header_t& header,
                                                   unsigned queue) const {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  const auto meets = [&](std::uint32_t value) {
    return condition_holds(header.wait_cond, value, header.wait_value);
  };
  bool met = meets(semaphore.settled);
  // Changes reach the queue in their order.
  sc_core::sc_time seen = sc_core::SC_ZERO_TIME;
  for (const Change& change : semaphore.recent) {
    seen = std::max(seen, change.at + latency(change.source, queue));
    if (met && seen > now) return now;
    met = meets(change.value);
    if (met && seen > now) return seen;
  }
  return met ? std::optional(now) : std::nullopt;
}

void Semaphores::set(unsigned index, std::uint32_t value, unsigned source) {
  semaphores_[index].value = value;
  if (observer_) observer_(index, value);
  remember(semaphores_[index], {sc_core::sc_time_stamp(), value, source});
  for (Waiter* waiter : waiters_) {
    if (waiter->semaphore != index || waiter->satisfied) continue;
    if (!condition_holds(waiter->condition, value, waiter->operand)) continue;
    waiter->satisfied = true;
    waiter->event.notify(latency(source, waiter->queue));
  }
}

void Semaphores::reset() {
  for (unsigned index = 0; index < semaphores_.size(); ++index) {
    if (value(index) != 0) set(index, 0);
  }
}

bool Semaphores::add(unsigned index, std::uint32_t amount, unsigned source) {
  if (amount > UINT32_MAX - value(index)) return false;
  set(index, value(index) + amount, source);
  return true;
}

bool Semaphores::subtract(unsigned index, std::uint32_t amount, unsigned source) {
  if (amount > value(index)) return false;
  set(index, value(index) - amount, source);
  return true;
}

bool Semaphores::change_event(unsigned index, bool to, unsigned source) {
  if (event(index) == to) return false;
  set(kFirstEvent + index, to ? 1 : 0, source);
  return true;
}

bool Semaphores::update(const tern_header_t& header, unsigned queue) {
  switch (header.upd_op) {
    case TERN_UPD_OP_INC:
      return add(header.upd_sem, 1, queue);
    case TERN_UPD_OP_DEC:
      return subtract(header.upd_sem, 1, queue);
    case TERN_UPD_OP_ADD_IMM:
      return add(header.upd_sem, header.upd_value, queue);
    case TERN_UPD_OP_SUB_IMM:
      return subtract(header.upd_sem, header.upd_value, queue);
    case TERN_UPD_OP_WR_IMM:
      set(header.upd_sem, header.upd_value, queue);
      return true;
    case TERN_UPD_OP_SET_EVENT:
    case TERN_UPD_OP_CLEAR_EVENT:
      return change_event(header.upd_sem, header.upd_op == TERN_UPD_OP_SET_EVENT, queue);
    default:
      return true;
  }
}

void Semaphores::wait_for(const tern_header_t& header, Waiter& waiter) {
  if (header.wait_cond == TERN_WAIT_COND_NONE) return;
  if (const auto met = met_at(semaphores_[waited_for(header)], header, waiter.queue)) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (*met > now) sc_core::wait(*met - now);
    return;
  }
  waiter.semaphore = waited_for(header);
  waiter.condition = header.wait_cond;
  waiter.operand = header.wait_value;
  waiter.satisfied = false;
  waiters_.push_back(&waiter);
  while (!waiter.satisfied) sc_core::wait(waiter.event);
  waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
}

bool Semaphores::settled() const {
  const sc_core::sc_time longest = std::max(latency_.engine, latency_.outside),
                         now = sc_core::sc_time_stamp();
  return waiters_.empty() &&
         std::all_of(semaphores_.begin(), semaphores_.end(), [&](const Semaphore& semaphore) {
           return semaphore.recent.empty() || semaphore.recent.back().at + longest <= now;
         });
}

void Semaphores::archive_state(base::StateArchive& archive) {
  for (unsigned i = 0; i < semaphores_.size(); ++i) {
    Semaphore& semaphore = semaphores_[i];
    archive.number(semaphore.value, i < kFirstEvent ? UINT32_MAX : 1u);
    semaphore.settled = semaphore.value;
    semaphore.recent.clear();
  }
}

void Semaphores::release(Waiter& waiter) {
  if (waiter.satisfied) return;
  waiter.satisfied = true;
  waiter.event.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace tern
