// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/runtime/hbm_allocator.h"
#include "sw/runtime/host_port.h"
#include "sw/spec/generated/mgmt.h"

namespace tern::runtime {

// One notification queue of a core in device memory, set up as long as the object lives. Calls take
// simulated time and must run in a SystemC thread.
class NotificationQueue {
 public:
  // type: TERN_NOTIFICATION_...; memory: of at least one entry; interrupt: the core's interrupt is
  // up while there are entries. RunError if the core refuses.
  NotificationQueue(HostPort& port, unsigned core, unsigned type, Buffer memory,
                    bool interrupt = false);
  ~NotificationQueue();
  NotificationQueue(const NotificationQueue&) = delete;
  NotificationQueue& operator=(const NotificationQueue&) = delete;

  // Takes what is there, oldest first.
  std::vector<tern_notification> take();
  // Notifications that found it full: status 1204 of the Neuron runtime.
  std::uint32_t lost();

 private:
  std::uint64_t reg(std::uint64_t offset) const;

  HostPort& port_;
  const unsigned core_, type_;
  const Buffer memory_;
  const std::uint32_t entries_;
  std::uint32_t taken_ = 0;  // modulo 2^32
  std::uint32_t slot_ = 0;   // of the next one
};

}  // namespace tern::runtime
