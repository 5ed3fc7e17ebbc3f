// SPDX-License-Identifier: Apache-2.0
#include "systemc/noc/event_queue.h"

#include <algorithm>

namespace tern::noc {

namespace {
bool later(const Event& a, const Event& b) {
  return b < a;
}
}  // namespace

void EventQueue::push(const Event& event) {
  // If an earlier list precedes the first one, that is the position.
  const std::uint64_t slot = std::max(event.time >> kSlotBits, first_slot_);
  if (slot - first_slot_ < kSlots) {
    push_near(event, slot);
  } else {
    far_.push_back(event);
    std::push_heap(far_.begin(), far_.end(), later);
  }
  if (event < front_) front_ = event;
}

void EventQueue::push_near(const Event& event, std::uint64_t slot) {
  if (free_ == kNone) {
    free_ = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({event, kNone});
  }
  const std::uint32_t node = free_;
  free_ = nodes_[node].next;
  List& list = lists_[slot % kSlots];
  if (list.first == kNone) {
    used_[slot % kSlots / 64] |= std::uint64_t{1} << slot % 64;
    list = {node, node};
    nodes_[node] = {event, kNone};
  } else if (nodes_[list.last].event < event) {  // mostly
    nodes_[list.last].next = node;
    list.last = node;
    nodes_[node] = {event, kNone};
  } else {
    std::uint32_t* place = &list.first;
    while (nodes_[*place].event < event) place = &nodes_[*place].next;
    nodes_[node] = {event, *place};
    *place = node;
  }
}

Event EventQueue::pop() {
  const Event event = front_;
  const std::uint64_t slot = std::max(event.time >> kSlotBits, first_slot_);
  if (!far_.empty() && !(event < far_.front())) {
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
  } else {
    std::uint32_t& first = lists_[slot % kSlots].first;
    const std::uint32_t node = first;
    first = nodes_[node].next;
    nodes_[node].next = free_;
    free_ = node;
    if (first == kNone) used_[slot % kSlots / 64] &= ~(std::uint64_t{1} << slot % 64);
  }
  first_slot_ = slot;
  find_front();
  return event;
}

void EventQueue::find_front() {
  front_ = far_.empty() ? kNever : far_.front();
  constexpr unsigned kWords = kSlots / 64;
  const unsigned begin = first_slot_ % kSlots / 64;
  // The bits before the first slot belong to the end of the round.
  const std::uint64_t ahead = ~std::uint64_t{0} << first_slot_ % 64;
  for (unsigned i = 0; i <= kWords; ++i) {
    std::uint64_t word = used_[(begin + i) % kWords];
    if (i == 0) word &= ahead;
    if (word == 0) continue;
    const unsigned slot = (begin + i) % kWords * 64 + static_cast<unsigned>(__builtin_ctzll(word));
    const Event& event = nodes_[lists_[slot].first].event;
    if (event < front_) front_ = event;
    return;
  }
}

}  // namespace tern::noc
