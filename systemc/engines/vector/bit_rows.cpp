// SPDX-License-Identifier: Apache-2.0
#include "systemc/engines/vector/bit_rows.h"

#include <cstring>

#include "sw/numerics/bitwise.h"
#include "sw/spec/generated/isa.h"

namespace tern {

namespace {

template <typename Word>
Word load(const std::uint8_t* row, std::size_t index) {
  Word word;
  std::memcpy(&word, row + index * sizeof(Word), sizeof(Word));
  return word;
}

template <typename Word>
void store(std::uint8_t* row, std::size_t index, Word word) {
  std::memcpy(row + index * sizeof(Word), &word, sizeof(Word));
}

// Calls visit with the function of an operation.
template <typename Word, typename Visit>
void with_bits(unsigned op, Visit visit) {
  switch (op) {
    case TERN_ALU_OP_BIT_NOT:
      return visit([](Word a, Word) { return numerics::bit_not(a); });
    case TERN_ALU_OP_BIT_AND:
      return visit([](Word a, Word b) { return numerics::bit_and(a, b); });
    case TERN_ALU_OP_BIT_OR:
      return visit([](Word a, Word b) { return numerics::bit_or(a, b); });
    case TERN_ALU_OP_BIT_XOR:
      return visit([](Word a, Word b) { return numerics::bit_xor(a, b); });
    case TERN_ALU_OP_SHIFT_LEFT:
      return visit([](Word a, Word b) { return numerics::shift_left(a, b); });
    case TERN_ALU_OP_SHIFT_RIGHT:
      return visit([](Word a, Word b) { return numerics::shift_right(a, b); });
    default:  // bypass
      return visit([](Word a, Word) { return a; });
  }
}

// Calls visit with a word of the element's size.
template <typename Visit>
void with_word(std::size_t size, Visit visit) {
  if (size == 1) return visit(std::uint8_t{});
  if (size == 2) return visit(std::uint16_t{});
  visit(std::uint32_t{});
}

}  // namespace

void bit_rows(unsigned op, std::size_t size, const std::uint8_t* a, const std::uint8_t* b,
              std::uint8_t* out, std::size_t n) {
  with_word(size, [=](auto word) {
    using Word = decltype(word);
    with_bits<Word>(op, [=](auto f) {
      for (std::size_t i = 0; i < n; ++i) {
        store<Word>(out, i, f(load<Word>(a, i), load<Word>(b, i)));
      }
    });
  });
}

void bit_scalar(unsigned op, std::size_t size, const std::uint8_t* a, std::uint32_t scalar,
                bool reverse, std::uint8_t* out, std::size_t n) {
  with_word(size, [=](auto word) {
    using Word = decltype(word);
    const auto s = static_cast<Word>(scalar);
    with_bits<Word>(op, [=](auto f) {
      for (std::size_t i = 0; i < n; ++i) {
        const Word element = load<Word>(a, i);
        store<Word>(out, i, reverse ? f(s, element) : f(element, s));
      }
    });
  });
}

void bit_chain(unsigned op, std::size_t size, const std::uint8_t* a, std::size_t count,
               std::uint8_t* out) {
  with_word(size, [=](auto word) {
    using Word = decltype(word);
    with_bits<Word>(op, [=](auto f) {
      Word chain = load<Word>(a, 0);
      for (std::size_t i = 1; i < count; ++i) chain = f(chain, load<Word>(a, i));
      store<Word>(out, 0, chain);
    });
  });
}

void integer_rows(unsigned op, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out,
                  std::size_t n) {
  const auto rows = [=](auto f) {
    for (std::size_t i = 0; i < n; ++i) {
      store<std::uint32_t>(out, i, f(load<std::uint32_t>(a, i), load<std::uint32_t>(b, i)));
    }
  };
  if (op == TERN_ALU_OP_ADD) return rows([](std::uint32_t x, std::uint32_t y) { return x + y; });
  if (op == TERN_ALU_OP_SUBTRACT) {
    return rows([](std::uint32_t x, std::uint32_t y) { return x - y; });
  }
  rows([](std::uint32_t x, std::uint32_t y) { return x * y; });
}

}  // namespace tern
