// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/notification_queue.h"

#include <algorithm>
#include <utility>

#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

NotificationQueue::NotificationQueue(HostPort& port, unsigned core, unsigned type, Buffer memory,
                                     bool interrupt)
    : port_(port),
      core_(core),
      type_(type),
      memory_(std::move(memory)),
      entries_(static_cast<std::uint32_t>(memory_.bytes() / sizeof(tern_notification))) {
  if (entries_ == 0) throw UserError("a notification queue without room for an entry");
  port_.write32(reg(TERN_REG_CORE_NOTIFY_SIZE), 0);
  port_.write64(reg(TERN_REG_CORE_NOTIFY_BASE), memory_.address());
  port_.write32(reg(TERN_REG_CORE_NOTIFY_SIZE), entries_);
  const std::uint64_t irq =
      TERN_CORE_BASE + core_ * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE + TERN_REG_CORE_NOTIFY_IRQ;
  const std::uint32_t enabled = port_.read32(irq), bit = 1u << type_;
  port_.write32(irq, interrupt ? enabled | bit : enabled & ~bit);
}

NotificationQueue::~NotificationQueue() {
  // Not while the simulation is torn down, or its thread is.
  if (!sc_core::sc_is_running() || sc_core::sc_is_unwinding()) return;
  try {
    port_.write32(reg(TERN_REG_CORE_NOTIFY_SIZE), 0);
  } catch (const RunError&) {
    // The chip does not answer: nothing writes to the memory either.
  }
}

std::uint64_t NotificationQueue::reg(std::uint64_t offset) const {
  return TERN_CORE_BASE + core_ * TERN_CORE_STRIDE + TERN_CORE_REGS_BASE + offset +
         type_ * TERN_REG_CORE_NOTIFY_BASE_STRIDE;
}

std::vector<tern_notification> NotificationQueue::take() {
  const std::uint32_t tail = port_.read32(reg(TERN_REG_CORE_NOTIFY_TAIL));
  std::vector<tern_notification> entries(std::min(tail - taken_, entries_));
  for (std::size_t done = 0; done < entries.size();) {
    const std::size_t run = std::min<std::size_t>(entries.size() - done, entries_ - slot_);
    port_.read(memory_.address() + std::uint64_t{slot_} * sizeof(tern_notification), &entries[done],
               run * sizeof(tern_notification));
    done += run;
    slot_ = (slot_ + static_cast<std::uint32_t>(run)) % entries_;
  }
  taken_ += static_cast<std::uint32_t>(entries.size());
  if (!entries.empty()) port_.write32(reg(TERN_REG_CORE_NOTIFY_HEAD), taken_);
  return entries;
}

std::uint32_t NotificationQueue::lost() {
  return port_.read32(reg(TERN_REG_CORE_NOTIFY_LOST));
}

}  // namespace tern::runtime
