// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tern::fabric::packet {

inline constexpr std::uint32_t kNone = UINT32_MAX;

// Packets of one transfer that queues and arbiters handle as one.
struct Train {
  std::uint32_t transfer = kNone;
  std::uint32_t payload = 0;
  std::uint32_t next = kNone;  // in its queue
  std::uint16_t hop = 0;       // of its path: the next one to take
  std::uint8_t traffic_class = 0, vc = 0;
  bool first = false, last = false;  // of its transfer
};

// Items with numbers; a number is used again once its item was released.
template <typename Item>
class Pool {
 public:
  std::uint32_t add(Item item) {
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    items_[number] = std::move(item);
    return number;
  }
  void release(std::uint32_t number) { free_.push_back(number); }
  Item& operator[](std::uint32_t number) { return items_[number]; }
  const Item& operator[](std::uint32_t number) const { return items_[number]; }
  std::size_t used() const { return items_.size() - free_.size(); }
  // Numbers are below.
  std::size_t size() const { return items_.size(); }

 private:
  std::vector<Item> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tern::fabric::packet
