// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace tern::mgmt {

// Characters that wait in a UART, with their errors (bits 4:2 of LSR). Plain data.
struct UartFifo {
  static constexpr unsigned kDepth = 16;
  struct Character {
    std::uint8_t byte = 0, errors = 0;
  };

  unsigned size() const { return count; }
  bool empty() const { return count == 0; }
  void clear() { count = 0; }
  // There must be room.
  void push(Character character) { entries[count++] = character; }
  // There must be one.
  Character& front() { return entries[0]; }
  const Character& front() const { return entries[0]; }
  Character pop() {
    const Character character = entries[0];
    std::move(entries.begin() + 1, entries.begin() + count, entries.begin());
    --count;
    return character;
  }
  bool any_errors() const {
    return std::any_of(entries.begin(), entries.begin() + count,
                       [](const Character& character) { return character.errors != 0; });
  }

  std::array<Character, kDepth> entries{};  // the oldest first
  unsigned count = 0;
};

}  // namespace tern::mgmt
