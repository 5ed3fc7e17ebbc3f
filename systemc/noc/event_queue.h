// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tern::noc {

struct Message;

struct Event {
  std::uint64_t time, order;
  Message* message;
  bool operator<(const Event& other) const {
    return time != other.time ? time < other.time : order < other.order;
  }
};

// Events in order of time, then of `order`. Those of the near future are in a wheel of short lists,
// a fraction of a nanosecond each, so that push and pop do not depend on their number. Later ones
// are in a heap.
class EventQueue {
 public:
  // UINT64_MAX: none.
  std::uint64_t next_time() const { return front_.time; }
  // Requires one.
  const Event& front() const { return front_; }
  void push(const Event& event);
  Event pop();

 private:
  static constexpr unsigned kSlotBits = 18;  // 2^18 fs: 0.26 ns
  static constexpr unsigned kSlots = 2048;   // 537 ns
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr Event kNever = {UINT64_MAX, UINT64_MAX, nullptr};

  struct Node {
    Event event;
    std::uint32_t next;
  };
  struct List {
    std::uint32_t first = kNone, last = kNone;
  };

  void push_near(const Event& event, std::uint64_t slot);
  void find_front();

  Event front_ = kNever;
  std::uint64_t first_slot_ = 0;  // of the last event that was taken; counted, never wrapped
  std::array<List, kSlots> lists_;
  std::array<std::uint64_t, kSlots / 64> used_{};  // a bit per list that is not empty
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::vector<Event> far_;  // a heap, the earliest in front
};

}  // namespace tern::noc
