// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "systemc/fabric/transport.h"

namespace tern::fabric::packet {

// key orders the events of one instant: made of numbers of the model, never of the order of calls.
struct Event {
  Time time = kNever;
  std::uint64_t key = 0;
  std::uint32_t item = 0;  // the receiver's own
  bool operator<(const Event& other) const {
    return time != other.time ? time < other.time : key < other.key;
  }
};

// Events in order of time and key. Those of the near future are in a wheel of slots that are sorted
// when their turn comes: bursts of many events of one instant cost no more than others. Later ones
// are in a heap, and so are those that come into the slot whose turn it is.
class EventWheel {
 public:
  // kNever: none.
  Time next_time() const { return count_ > 0 ? next().time : kNever; }

  // Requires one.
  const Event& next() const { return is_fresh() ? fresh_.front() : slot_[next_]; }

  void push(const Event& event) {
    ++count_;
    const std::uint64_t slot = event.time >> kSlotBits;
    if (slot <= now_ || count_ == 1) {
      if (count_ == 1) now_ = std::max(now_, slot);  // nothing is pending: turn the wheel here
      fresh_.push_back(event);
      std::push_heap(fresh_.begin(), fresh_.end(), later);
    } else if (slot - now_ < kSlots) {
      add(event, slot);
    } else {
      far_.push_back(event);
      std::push_heap(far_.begin(), far_.end(), later);
    }
  }

  // Requires one.
  Event pop() {
    const Event event = next();
    if (is_fresh()) {
      std::pop_heap(fresh_.begin(), fresh_.end(), later);
      fresh_.pop_back();
    } else {
      ++next_;
    }
    --count_;
    if (next_ == slot_.size() && fresh_.empty()) advance();
    return event;
  }

 private:
  static constexpr unsigned kSlotBits = 20;  // 2^20 fs: 1.05 ns
  static constexpr unsigned kSlots = 4096;   // 4.3 us

  static bool later(const Event& a, const Event& b) { return b < a; }

  // Whether the next one is.
  bool is_fresh() const {
    return !fresh_.empty() && (next_ == slot_.size() || fresh_.front() < slot_[next_]);
  }

  void add(const Event& event, std::uint64_t slot) {
    used_[slot % kSlots / 64] |= std::uint64_t{1} << slot % 64;
    // By its fields: they have just been written, each for itself.
    wheel_[slot % kSlots].push_back({event.time, event.key, event.item});
  }

  // To the next slot with events. All of the wheel are less than a turn ahead.
  void advance() {
    slot_.clear();
    next_ = 0;
    if (count_ == 0) return;
    const std::uint64_t near = next_used();
    const std::uint64_t far = far_.empty() ? UINT64_MAX : far_.front().time >> kSlotBits;
    now_ = std::min(near, far);
    if (near == now_) {
      std::vector<Event>& list = wheel_[now_ % kSlots];
      slot_.swap(list);
      used_[now_ % kSlots / 64] &= ~(std::uint64_t{1} << now_ % 64);
    }
    while (!far_.empty() && far_.front().time >> kSlotBits == now_) {
      slot_.push_back(far_.front());
      std::pop_heap(far_.begin(), far_.end(), later);
      far_.pop_back();
    }
    std::sort(slot_.begin(), slot_.end());
  }

  std::uint64_t next_used() const {
    const std::uint64_t first = now_ + 1;
    constexpr unsigned kWords = kSlots / 64;
    for (unsigned i = 0; i <= kWords; ++i) {
      const unsigned place = (first % kSlots / 64 + i) % kWords;
      std::uint64_t word = used_[place];
      if (i == 0) word &= ~std::uint64_t{0} << first % 64;
      if (i == kWords) word &= ~(~std::uint64_t{0} << first % 64);
      if (word == 0) continue;
      const unsigned found = place * 64 + static_cast<unsigned>(__builtin_ctzll(word));
      return first + (found + kSlots - first % kSlots) % kSlots;
    }
    return UINT64_MAX;
  }

  std::uint64_t count_ = 0, now_ = 0;
  std::vector<Event> slot_;  // of now_, sorted; from next_ on
  std::size_t next_ = 0;
  std::array<std::vector<Event>, kSlots> wheel_;
  std::array<std::uint64_t, kSlots / 64> used_{};
  std::vector<Event> far_, fresh_;  // heaps, the earliest in front
};

}  // namespace tern::fabric::packet
