// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

#include "sw/base/state_archive.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"

namespace tern {

bool condition_holds(unsigned wait_cond, std::uint32_t value, std::uint32_t operand);

// How long a queue takes to see a change.
struct SemaphoreLatency {
  sc_core::sc_time engine;   // by another queue of the core
  sc_core::sc_time outside;  // by a write to the core's registers: DMA engines, other cores, host
};

// The 256 semaphores and 256 events of a core. A value changes at once; a queue that waits for it
// sees the change later, its own changes at once. Event e is kept as number kFirstEvent + e, with
// the value 0 or 1.
class Semaphores {
 public:
  static constexpr unsigned kOutside = ~0u;  // as a source: not a queue of this core

  static constexpr unsigned kCount = TERN_REG_CORE_SEMAPHORE_READ_COUNT;
  static constexpr unsigned kEvents = TERN_REG_CORE_EVENT_READ_COUNT;
  static constexpr unsigned kFirstEvent = kCount;

  // A queue waiting for a condition. The condition is examined at every change, so it is enough
  // that it held once.
  struct Waiter {
    unsigned semaphore = 0;  // or kFirstEvent + event
    unsigned condition = TERN_WAIT_COND_NONE;
    std::uint32_t operand = 0;
    bool satisfied = true;
    unsigned queue = 0;  // that waits
    sc_core::sc_event event;
  };

  explicit Semaphores(const SemaphoreLatency& latency = {}) : latency_(latency) {}

  // Calls back when a value is set. index: as above.
  void observe(std::function<void(unsigned index, std::uint32_t value)> observer) {
    observer_ = std::move(observer);
  }

  std::uint32_t value(unsigned index) const { return semaphores_[index].value; }
  void set(unsigned index, std::uint32_t value, unsigned source = kOutside);
  void reset();  // all to 0, events too
  // False, and no change, if the value would leave 0 .. 2^32-1.
  bool add(unsigned index, std::uint32_t amount, unsigned source = kOutside);
  bool subtract(unsigned index, std::uint32_t amount, unsigned source = kOutside);
  bool event(unsigned index) const { return value(kFirstEvent + index) != 0; }
  // False, and no change, if it has this value: each change is one that somebody waits for.
  bool change_event(unsigned index, bool to, unsigned source = kOutside);
  // The update of an instruction of a queue; false, and no change, as above.
  bool update(const tern_header_t& header, unsigned queue);

  // Blocks the calling SC_THREAD until the condition of an instruction holds or the waiter is
  // released.
  void wait_for(const tern_header_t& header, Waiter& waiter);
  // Ends a wait whose condition does not hold.
  static void release(Waiter& waiter);

  // For a snapshot: no queue waits, and each would see every change by now.
  bool settled() const;
  // While they are.
  void archive_state(base::StateArchive& archive);

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
  static unsigned waited_for(const tern_header_t& header) {
    return header.wait_sem + (header.wait_cond == TERN_WAIT_COND_EVENT ? kFirstEvent : 0);
  }

  std::array<Semaphore, kCount + kEvents> semaphores_{};
  const SemaphoreLatency latency_;
  std::function<void(unsigned, std::uint32_t)> observer_;
  std::vector<Waiter*> waiters_;  // a handful: the queues of the core
};

}  // namespace tern
