// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/core_registers.h"

#include "sw/spec/generated/registers.h"

namespace tern {

namespace {

constexpr std::uint32_t kQueueStride = TERN_REG_CORE_QUEUE_BASE_STRIDE;
constexpr std::uint32_t kQueueEnd = kQueueStride * TERN_QUEUE_COUNT;

// The element of a register array of 256 words, or -1.
int semaphore_of(std::uint32_t offset, std::uint32_t first) {
  static_assert(Semaphores::kEvents == Semaphores::kCount);
  const std::uint32_t bytes = 4 * Semaphores::kCount;
  return offset >= first && offset < first + bytes ? static_cast<int>((offset - first) / 4) : -1;
}

}  // namespace

bool CoreRegisters::running() const {
  for (const Sequencer* queue : queues_) {
    if (queue->status() == Sequencer::Status::kRunning) return true;
  }
  return false;
}

bool CoreRegisters::done() const {
  bool any = false;
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (!started_[q]) continue;
    if (queues_[q]->status() != Sequencer::Status::kHalted) return false;
    any = true;
  }
  return any;
}

bool CoreRegisters::stalled() const {
  if (!running() || !context_.at_rest()) return false;
  for (const Sequencer* queue : queues_) {
    if (queue->status() == Sequencer::Status::kRunning && queue->waiting() == nullptr) return false;
  }
  return true;
}

void CoreRegisters::clear() {
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    started_[q] = started_[q] && queues_[q]->status() == Sequencer::Status::kRunning;
  }
  context_.errors.clear();
  context_.status_changed();
}

bool CoreRegisters::read_queue(unsigned queue, std::uint32_t offset, std::uint32_t* value) const {
  switch (offset) {
    case TERN_REG_CORE_QUEUE_BASE:
      *value = static_cast<std::uint32_t>(base_[queue]);
      return true;
    case TERN_REG_CORE_QUEUE_BASE + 4:
      *value = static_cast<std::uint32_t>(base_[queue] >> 32);
      return true;
    case TERN_REG_CORE_QUEUE_LENGTH:
      *value = length_[queue];
      return true;
    case TERN_REG_CORE_QUEUE_STATUS:
      *value = static_cast<std::uint32_t>(queues_[queue]->status());
      return true;
    case TERN_REG_CORE_QUEUE_PC:
      *value = queues_[queue]->pc();
      return true;
    case TERN_REG_CORE_QUEUE_WAIT: {
      const auto* waiter = queues_[queue]->waiting();
      *value = waiter == nullptr ? 0
                                 : waiter->semaphore % Semaphores::kFirstEvent |
                                       waiter->condition << TERN_REG_CORE_QUEUE_WAIT_CONDITION_LSB;
      return true;
    }
    case TERN_REG_CORE_QUEUE_WAIT_VALUE: {
      const auto* waiter = queues_[queue]->waiting();
      *value = waiter == nullptr ? 0 : waiter->operand;
      return true;
    }
    case TERN_REG_CORE_QUEUE_EXECUTED:
      *value = static_cast<std::uint32_t>(queues_[queue]->executed_instructions());
      return true;
    default:
      return false;
  }
}

bool CoreRegisters::write_queue(unsigned queue, std::uint32_t offset, std::uint32_t value) {
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  switch (offset) {
    case TERN_REG_CORE_QUEUE_BASE:
      base_[queue] = (base_[queue] & ~kLow) | value;
      return true;
    case TERN_REG_CORE_QUEUE_BASE + 4:
      base_[queue] = (base_[queue] & kLow) | (static_cast<std::uint64_t>(value) << 32);
      return true;
    case TERN_REG_CORE_QUEUE_LENGTH:
      length_[queue] = value;
      return true;
    case TERN_REG_CORE_QUEUE_START:
      if (value != 1) return value == 0;
      if (reset_.active() || held_) return false;
      if (!queues_[queue]->start(base_[queue], length_[queue])) return false;
      started_[queue] = true;
      return true;
    case TERN_REG_CORE_QUEUE_RESET:
      if (value == 1) {
        started_[queue] = false;
        queues_[queue]->reset();
      }
      return value <= 1;
    default:
      return false;
  }
}

bool CoreRegisters::read(std::uint32_t offset, std::uint32_t* value) const {
  if (offset < kQueueEnd) return read_queue(offset / kQueueStride, offset % kQueueStride, value);
  if (const int i = semaphore_of(offset, TERN_REG_CORE_SEMAPHORE_READ); i >= 0) {
    *value = context_.semaphores.value(static_cast<unsigned>(i));
    return true;
  }
  if (const int i = semaphore_of(offset, TERN_REG_CORE_EVENT_READ); i >= 0) {
    *value = context_.semaphores.event(static_cast<unsigned>(i)) ? 1 : 0;
    return true;
  }
  const ErrorLog& errors = context_.errors;
  switch (offset) {
    case TERN_REG_CORE_CORE_STATUS:
      *value = (running() ? TERN_REG_CORE_CORE_STATUS_RUNNING_MASK : 0u) |
               (done() ? TERN_REG_CORE_CORE_STATUS_DONE_MASK : 0u) |
               (errors.any() ? TERN_REG_CORE_CORE_STATUS_ERROR_MASK : 0u) |
               (stalled() ? TERN_REG_CORE_CORE_STATUS_STALLED_MASK : 0u) |
               (reset_.active() ? TERN_REG_CORE_CORE_STATUS_RESETTING_MASK : 0u) |
               (held_ ? TERN_REG_CORE_CORE_STATUS_HELD_MASK : 0u);
      return true;
    case TERN_REG_CORE_ERROR_CODE:
      *value = errors.code;
      return true;
    case TERN_REG_CORE_ERROR_QUEUE:
      *value = errors.queue;
      return true;
    case TERN_REG_CORE_ERROR_INDEX:
      *value = errors.index;
      return true;
    case TERN_REG_CORE_ERROR_DETAIL:
      *value = errors.detail;
      return true;
    case TERN_REG_CORE_ERROR_PROCESSOR:
      *value = errors.processor;
      return true;
    case TERN_REG_CORE_ERROR_REASON:
      *value = errors.reason;
      return true;
    case TERN_REG_CORE_ERROR_VALUE:
      *value = errors.value;
      return true;
    default:
      return notifications_.read(offset, value);
  }
}

bool CoreRegisters::write(std::uint32_t offset, std::uint32_t value) {
  if (offset < kQueueEnd) return write_queue(offset / kQueueStride, offset % kQueueStride, value);
  Semaphores& semaphores = context_.semaphores;
  if (const int i = semaphore_of(offset, TERN_REG_CORE_SEMAPHORE_SET); i >= 0) {
    semaphores.set(static_cast<unsigned>(i), value);
    return true;
  }
  if (const int i = semaphore_of(offset, TERN_REG_CORE_SEMAPHORE_INC); i >= 0) {
    return semaphores.add(static_cast<unsigned>(i), value);
  }
  if (const int i = semaphore_of(offset, TERN_REG_CORE_SEMAPHORE_DEC); i >= 0) {
    return semaphores.subtract(static_cast<unsigned>(i), value);
  }
  if (const int i = semaphore_of(offset, TERN_REG_CORE_EVENT_SET); i >= 0) {
    return value == 1 && semaphores.change_event(static_cast<unsigned>(i), true);
  }
  if (const int i = semaphore_of(offset, TERN_REG_CORE_EVENT_CLEAR); i >= 0) {
    return value == 1 && semaphores.change_event(static_cast<unsigned>(i), false);
  }
  if (offset == TERN_REG_CORE_IRQ_CLEAR) {
    if (value == 1) clear();
    return value <= 1;
  }
  if (offset == TERN_REG_CORE_CORE_RESET) {
    if (value == 1) reset_.begin();
    return value <= 1;
  }
  return notifications_.write(offset, value);
}

}  // namespace tern
