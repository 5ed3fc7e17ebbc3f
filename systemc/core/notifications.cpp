// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/notifications.h"

#include <utility>

#include "systemc/trace/sim_time.h"

namespace tern {

namespace {

constexpr std::uint32_t kQueuesEnd =
    TERN_REG_CORE_NOTIFY_BASE + TERN_REG_CORE_NOTIFY_BASE_STRIDE * TERN_NOTIFICATION_COUNT;
constexpr std::uint64_t kLow = 0xFFFFFFFF;
constexpr std::uint64_t kAlignment = TERN_REG_CORE_NOTIFY_BASE_ALIGNMENT;
constexpr std::uint64_t kFsPerNs = 1'000'000;

static_assert(TERN_REG_CORE_NOTIFY_BASE_COUNT == TERN_NOTIFICATION_COUNT);

}  // namespace

Notifications::Notifications(sc_core::sc_module_name name, Write write,
                             std::function<void()> changed)
    : sc_module(name), write_(std::move(write)), changed_(std::move(changed)) {
  SC_THREAD(run);
}

void Notifications::post(tern_notification entry) {
  Queue& queue = queues_[entry.type];
  if (queue.size == 0) return;
  if (queue.tail - queue.head + queue.waiting >= queue.size) {
    ++queue.lost;
    return;
  }
  ++queue.waiting;
  entry.time_ns = static_cast<std::uint32_t>(now_fs() / kFsPerNs);
  waiting_.push_back({entry, queue.generation});
  posted_.notify(sc_core::SC_ZERO_TIME);
}

void Notifications::reset() {
  for (Queue& queue : queues_) {
    queue.waiting = 0;
    ++queue.generation;
  }
  waiting_.clear();
}

bool Notifications::interrupt() const {
  for (unsigned type = 0; type < queues_.size(); ++type) {
    if ((irq_ >> type & 1) != 0 && queues_[type].tail != queues_[type].head) return true;
  }
  return false;
}

void Notifications::run() {
  for (;;) {
    while (waiting_.empty()) wait(posted_);
    const Waiting waiting = waiting_.front();
    waiting_.pop_front();
    deliver(waiting);
  }
}

// The tail moves when the entry is in memory.
void Notifications::deliver(const Waiting& waiting) {
  Queue& queue = queues_[waiting.entry.type];
  if (waiting.generation != queue.generation) return;
  tern_notification entry = waiting.entry;
  entry.pass = queue.even_pass ? 0 : 1;
  const bool written = write_(queue.base + std::uint64_t{queue.slot} * sizeof entry, &entry,
                              static_cast<unsigned>(sizeof entry));
  if (waiting.generation != queue.generation) return;  // reset or set up anew meanwhile
  --queue.waiting;
  if (!written) {
    ++queue.lost;
    return;
  }
  ++queue.tail;
  if (++queue.slot == queue.size) {
    queue.slot = 0;
    queue.even_pass = !queue.even_pass;
  }
  changed_();
}

bool Notifications::read(std::uint32_t offset, std::uint32_t* value) const {
  if (offset == TERN_REG_CORE_NOTIFY_IRQ) {
    *value = irq_;
  } else if (offset == TERN_REG_CORE_NOTIFY_RINGS) {
    *value = rings_;
  } else if (offset >= TERN_REG_CORE_NOTIFY_BASE && offset < kQueuesEnd) {
    const Queue& queue = queues_[(offset - TERN_REG_CORE_NOTIFY_BASE) / kStride];
    switch ((offset - TERN_REG_CORE_NOTIFY_BASE) % kStride + TERN_REG_CORE_NOTIFY_BASE) {
      case TERN_REG_CORE_NOTIFY_BASE:
        *value = static_cast<std::uint32_t>(queue.base);
        break;
      case TERN_REG_CORE_NOTIFY_BASE + 4:
        *value = static_cast<std::uint32_t>(queue.base >> 32);
        break;
      case TERN_REG_CORE_NOTIFY_SIZE:
        *value = queue.size;
        break;
      case TERN_REG_CORE_NOTIFY_HEAD:
        *value = queue.head;
        break;
      case TERN_REG_CORE_NOTIFY_TAIL:
        *value = queue.tail;
        break;
      case TERN_REG_CORE_NOTIFY_LOST:
        *value = queue.lost;
        break;
      default:
        return false;
    }
  } else {
    return false;
  }
  return true;
}

bool Notifications::write(std::uint32_t offset, std::uint32_t value) {
  if (offset == TERN_REG_CORE_NOTIFY_IRQ) {
    if (value >> TERN_NOTIFICATION_COUNT != 0) return false;
    irq_ = value;
  } else if (offset == TERN_REG_CORE_NOTIFY_RINGS) {
    if (value > TERN_REG_CORE_NOTIFY_RINGS_RESET) return false;
    rings_ = value;
  } else if (offset >= TERN_REG_CORE_NOTIFY_BASE && offset < kQueuesEnd) {
    Queue& queue = queues_[(offset - TERN_REG_CORE_NOTIFY_BASE) / kStride];
    switch ((offset - TERN_REG_CORE_NOTIFY_BASE) % kStride + TERN_REG_CORE_NOTIFY_BASE) {
      case TERN_REG_CORE_NOTIFY_BASE:
        if (value % kAlignment != 0 || queue.size != 0) return false;
        queue.base = (queue.base & ~kLow) | value;
        break;
      case TERN_REG_CORE_NOTIFY_BASE + 4:
        if (queue.size != 0) return false;
        queue.base = (queue.base & kLow) | std::uint64_t{value} << 32;
        break;
      case TERN_REG_CORE_NOTIFY_SIZE: {
        const std::uint64_t base = queue.base;
        const std::uint32_t generation = queue.generation + 1;
        queue = {};
        queue.base = base;
        queue.size = value;
        queue.generation = generation;
        break;
      }
      case TERN_REG_CORE_NOTIFY_HEAD:
        if (value - queue.head > queue.tail - queue.head) return false;  // beyond the tail
        queue.head = value;
        break;
      default:
        return false;
    }
  } else {
    return false;
  }
  changed_();
  return true;
}

}  // namespace tern
