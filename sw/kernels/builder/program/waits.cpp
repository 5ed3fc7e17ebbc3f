// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/program/waits.h"

#include <algorithm>
#include <utility>

namespace tern::kernels {

WaitPlanner::WaitPlanner() {
  const auto start = std::make_shared<const Clock>(Clock{});
  known_.fill(start);
}

const WaitPlanner::Announced* WaitPlanner::find(Event event) const {
  const std::vector<Announced>& history = history_[event.semaphore];
  const auto found = std::lower_bound(
      history.begin(), history.end(), event.value,
      [](const Announced& announced, std::uint32_t value) { return announced.value < value; });
  return found == history.end() || event.value <= found->before ? nullptr : &*found;
}

std::shared_ptr<const WaitPlanner::Clock> WaitPlanner::clock_at(Event event) const {
  const Announced* found = find(event);
  return found == nullptr ? nullptr : found->clock;
}

void WaitPlanner::remember(Event done, std::shared_ptr<const Clock> clock) {
  std::vector<Announced>& history = history_[done.semaphore];
  history.push_back({done.value, history.empty() ? 0 : history.back().value, std::move(clock)});
  ++kept_;
}

void WaitPlanner::forget_all_but(std::vector<Event> events) {
  for (unsigned s = 0; s < kSemaphores; ++s) {
    if (!history_[s].empty()) events.push_back({s, history_[s].back().value});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.semaphore != b.semaphore ? a.semaphore < b.semaphore : a.value < b.value;
  });
  std::array<std::vector<Announced>, kSemaphores> left;
  kept_ = 0;
  for (const Event& event : events) {
    std::vector<Announced>& of = left[event.semaphore];
    if (!of.empty() && of.back().value >= event.value) continue;
    const Announced* found = find(event);
    if (found == nullptr) continue;
    of.push_back(*found);
    ++kept_;
  }
  history_ = std::move(left);
}

void WaitPlanner::restart(const std::vector<Event>& past) {
  Clock clock{};
  for (const Event& event : past) {
    clock[event.semaphore] = std::max(clock[event.semaphore], event.value);
  }
  known_.fill(std::make_shared<const Clock>(clock));
  for (auto& announced : history_) announced.clear();
  kept_ = 0;
}

bool WaitPlanner::implies(Event event, Event other) const {
  if (event.semaphore == other.semaphore) return event.value >= other.value;
  const auto clock = clock_at(event);
  return clock != nullptr && (*clock)[other.semaphore] >= other.value;
}

std::vector<Event> WaitPlanner::reduce(unsigned queue, const std::vector<Event>& events) {
  std::vector<Event> needed;
  for (const Event& event : events) {
    if ((*known_[queue])[event.semaphore] >= event.value) continue;
    const bool implied = std::any_of(needed.begin(), needed.end(),
                                     [&](const Event& other) { return implies(other, event); });
    if (implied) continue;
    needed.erase(std::remove_if(needed.begin(), needed.end(),
                                [&](const Event& other) { return implies(event, other); }),
                 needed.end());
    needed.push_back(event);
  }
  if (needed.empty()) return needed;
  auto merged = std::make_shared<Clock>(*known_[queue]);
  for (const Event& event : needed) merge(event, merged.get());
  known_[queue] = std::move(merged);
  return needed;
}

// Adds everything that is past once `event` holds.
void WaitPlanner::merge(Event event, Clock* clock) const {
  if (const auto other = clock_at(event)) {
    for (unsigned s = 0; s < kSemaphores; ++s) (*clock)[s] = std::max((*clock)[s], (*other)[s]);
  }
  (*clock)[event.semaphore] = std::max((*clock)[event.semaphore], event.value);
}

void WaitPlanner::announce_after(unsigned queue, Event done, Event earlier) {
  auto clock = std::make_shared<Clock>(*known_[queue]);
  merge(earlier, clock.get());
  remember(done, std::move(clock));
}

void WaitPlanner::announce(unsigned queue, Event done) {
  remember(done, known_[queue]);
}

}  // namespace tern::kernels
