// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/semaphores.h"

#include <algorithm>

namespace tern {

bool condition_holds(unsigned wait_cond, std::uint32_t value, std::uint32_t operand) {
  switch (wait_cond) {
    case TERN_WAIT_COND_EQ:
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

void Semaphores::set(unsigned index, std::uint32_t value) {
  values_[index] = value;
  for (Waiter* waiter : waiters_) {
    if (waiter->semaphore != index || waiter->satisfied) continue;
    if (!condition_holds(waiter->condition, value, waiter->operand)) continue;
    waiter->satisfied = true;
    waiter->event.notify(sc_core::SC_ZERO_TIME);
  }
}

bool Semaphores::add(unsigned index, std::uint32_t amount) {
  if (amount > UINT32_MAX - values_[index]) return false;
  set(index, values_[index] + amount);
  return true;
}

bool Semaphores::subtract(unsigned index, std::uint32_t amount) {
  if (amount > values_[index]) return false;
  set(index, values_[index] - amount);
  return true;
}

bool Semaphores::update(const tern_header_t& header) {
  switch (header.upd_op) {
    case TERN_UPD_OP_INC:
      return add(header.upd_sem, 1);
    case TERN_UPD_OP_DEC:
      return subtract(header.upd_sem, 1);
    case TERN_UPD_OP_ADD_IMM:
      return add(header.upd_sem, header.upd_value);
    case TERN_UPD_OP_SUB_IMM:
      return subtract(header.upd_sem, header.upd_value);
    case TERN_UPD_OP_WR_IMM:
      set(header.upd_sem, header.upd_value);
      return true;
    default:
      return true;
  }
}

void Semaphores::wait_for(const tern_header_t& header, Waiter& waiter) {
  if (condition_holds(header.wait_cond, values_[header.wait_sem], header.wait_value)) return;
  waiter.semaphore = header.wait_sem;
  waiter.condition = header.wait_cond;
  waiter.operand = header.wait_value;
  waiter.satisfied = false;
  waiters_.push_back(&waiter);
  while (!waiter.satisfied) sc_core::wait(waiter.event);
  waiters_.erase(std::find(waiters_.begin(), waiters_.end(), &waiter));
}

void Semaphores::release(Waiter& waiter) {
  if (waiter.satisfied) return;
  waiter.satisfied = true;
  waiter.event.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace tern
