// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"

namespace tern {

bool condition_holds(unsigned wait_cond, std::uint32_t value, std::uint32_t operand);

// How long a queue takes to see a change.
struct SemaphoreLatency {
  sc_core::sc_time engine;   // by another queue of the core
  sc_core::sc_time outside;  // by a write to the core's registers: DMA engines, other cores, host
};

// The 256 semaphores of a core. A value changes at once; a queue that waits for it sees the change
// later, its own changes at once.
class Semaphores {
 public:
  static constexpr unsigned kOutside = ~0u;  // as a source: not a queue of this core

  static constexpr unsigned kCount = TERN_REG_CORE_SEMAPHORE_READ_COUNT;

  // A queue waiting for a condition. The condition is examined at every change, so it is enough
  // that it held once.
  struct Waiter {
    unsigned semaphore = 0;
    unsigned condition = TERN_WAIT_COND_NONE;
    std::uint32_t operand = 0;
    bool satisfied = true;
    unsigned queue = 0;  // that waits
    sc_core::sc_event event;
  };

  explicit Semaphores(const SemaphoreLatency& latency = {}) : latency_(latency) {}

  // Calls back when a value is set.
  void observe(std::function<void(unsigned index, std::uint32_t value)> observer) {
    observer_ = std::move(observer);
  }

  std::uint32_t value(unsigned index) const { return semaphores_[index].value; }
  void set(unsigned index, std::uint32_t value, unsigned source = kOutside);
  void reset();  // all to 0
  // False, and no change, if the value would leave 0 .. 2^32-1.
  bool add(unsigned index, std::uint32_t amount, unsigned source = kOutside);
  bool subtract(unsigned index, std::uint32_t amount, unsigned source = kOutside);
  // The update of an instruction of a queue.
  bool update(const tern_header_t& header, unsigned queue);

  // Blocks the calling SC_THREAD until the condition of an instruction holds or the waiter is
  // released.
  void wait_for(const tern_header_t& header, Waiter& waiter);
  // Ends a wait whose condition does not hold.
  static void release(Waiter& waiter);

 private:
  struct Change {
    sc_core::sc_time at;
    std::uint32_t value;
    unsigned source;
  };
  struct Semaphore {
    std::uint32_t value = 0;
    std::uint32_t settled = 0;   // before the recent changes
    std::vector<Change> recent;  // that some queue may not see yet, oldest first
  };
  sc_core::sc_time latency(unsigned source, unsigned queue) const;
  void remember(Semaphore& semaphore, const Change& change) const;
  // When the queue sees a value that meets the condition; none: not yet in sight.
  std::optional<sc_core::sc_time> met_at(const Semaphore& semaphore, const tern_header_t& header,
                                         unsigned queue) const;

  std::array<Semaphore, kCount> semaphores_{};
  const SemaphoreLatency latency_;
  std::function<void(unsigned, std::uint32_t)> observer_;
  std::vector<Waiter*> waiters_;  // a handful: the queues of the core
};

}  // namespace tern
