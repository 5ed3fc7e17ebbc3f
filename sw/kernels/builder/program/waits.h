// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sw/kernels/builder/memory/hazards.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"

namespace tern::kernels {

// Tracks for every point of every queue which events are surely in the past (vector clocks), and
// omits waits for them.
class WaitPlanner {
 public:
  static constexpr unsigned kSemaphores = TERN_REG_CORE_SEMAPHORE_READ_COUNT;

  WaitPlanner();
  // The given events for which `queue` must really wait; from here on they count as past
  // for this queue.
  std::vector<Event> reduce(unsigned queue, const std::vector<Event>& events);
  // What is kept of events that have been announced, and to forget all of it but of these events
  // and of the newest of each semaphore. Of others nothing is known any more but that a queue has
  // waited for them.
  std::size_t kept() const { return kept_; }
  void forget_all_but(std::vector<Event> events);
  // Forgets all but that these events are past for every queue.
  void restart(const std::vector<Event>& past);
  // `done` will hold once the instruction (or transfer) now issued on `queue` is complete: then
  // everything that is past for the queue now is past as well. Values of one semaphore must be
  // announced in rising order.
  void announce(unsigned queue, Event done);
  // The same for a transfer that completes after `earlier` does: every engine of a ring works in
  // order.
  void announce_after(unsigned queue, Event done, Event earlier);

 private:
  using Clock = std::array<std::uint32_t, kSemaphores>;
  std::shared_ptr<const Clock> clock_at(Event event) const;
  bool implies(Event event, Event other) const;
  void merge(Event event, Clock* clock) const;

  std::array<std::shared_ptr<const Clock>, TERN_QUEUE_COUNT> known_;  // shared until they change
  struct Announced {
    std::uint32_t value;
    std::uint32_t before;  // it is the first one after that value
    std::shared_ptr<const Clock> clock;
  };
  const Announced* find(Event event) const;
  void remember(Event done, std::shared_ptr<const Clock> clock);
  std::array<std::vector<Announced>, kSemaphores> history_;  // by rising value
  std::size_t kept_ = 0;                                     // entries in it
};

}  // namespace tern::kernels
