// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

// Bit operations on elements as stored: Word is the unsigned integer of the element's
// size (8, 16 or 32 bits). Nothing is converted, no NaN becomes canonical.
namespace tern::numerics {

template <typename Word>
Word bit_not(Word a) {
  static_assert(std::is_unsigned_v<Word>);
  return static_cast<Word>(~a);
}
template <typename Word>
Word bit_and(Word a, Word b) {
  return static_cast<Word>(a & b);
}
template <typename Word>
Word bit_or(Word a, Word b) {
  return static_cast<Word>(a | b);
}
template <typename Word>
Word bit_xor(Word a, Word b) {
  return static_cast<Word>(a ^ b);
}

// Shifts by b bits, zeros enter; b is unsigned, and from the element's width on the result is 0.
template <typename Word>
Word shift_left(Word a, Word b) {
  static_assert(std::is_unsigned_v<Word>);
  return b < 8 * sizeof(Word) ? static_cast<Word>(a << b) : Word{0};
}
template <typename Word>
Word shift_right(Word a, Word b) {
  static_assert(std::is_unsigned_v<Word>);
  return b < 8 * sizeof(Word) ? static_cast<Word>(a >> b) : Word{0};
}

}  // namespace tern::numerics
