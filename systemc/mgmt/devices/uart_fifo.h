// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace tern::mgmt {

// Characters that wait in a UART, with their errors (bits 4:2 of LSR). Plain data.
class UartFifo {
 public:
  static constexpr unsigned kDepth = 16;
  struct Character {
    std::uint8_t byte = 0, errors = 0;
  };

  unsigned size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  // There must be room.
  void push(Character character) { entries_[(first_ + size_++) % kDepth] = character; }
  // There must be one.
  Character& front() { return entries_[first_]; }
  const Character& front() const { return entries_[first_]; }
  Character pop() {
    const Character character = front();
    first_ = (first_ + 1) % kDepth;
    --size_;
    return character;
  }
  bool any_errors() const {
    for (unsigned i = 0; i < size_; ++i) {
      if (entries_[(first_ + i) % kDepth].errors != 0) return true;
    }
    return false;
  }

 private:
  std::array<Character, kDepth> entries_{};
  unsigned first_ = 0, size_ = 0;
};

}  // namespace tern::mgmt
