// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tb/tensor/top/oracle/reference_element.h"

namespace tern::tb {

// BF16 of an FP32 word: to nearest, ties to even; or with the random bits of `draw`.
std::uint16_t round_bf16(std::uint32_t word);
std::uint16_t round_bf16_stochastic(std::uint32_t word, std::uint32_t draw);

// The random generator of one lane: docs/numerics.md, section 6.
class Xorwow {
 public:
  explicit Xorwow(unsigned lane);
  std::uint32_t draw();
  std::uint32_t& word(unsigned i) { return state_[i]; }

 private:
  std::array<std::uint32_t, 6> state_;
};

// The accumulation memory with its generators.
class ReferencePsum {
 public:
  explicit ReferencePsum(const TensorShape& shape);

  // 32-bit words; the columns after the last bank are the generators' state.
  std::uint32_t word(unsigned lane, unsigned column) const;
  void set_word(unsigned lane, unsigned column, std::uint32_t bits);

  // Stores a sum at a command's destination and returns the element that is there then. `column`
  // counts elements of the destination from the start of PSUM.
  std::uint32_t store(const TensorCommand& command, unsigned lane, unsigned column, float sum);
  std::uint32_t store_raw(bool half, unsigned lane, unsigned column, std::uint32_t bits);

 private:
  std::uint32_t& at(unsigned lane, unsigned column);
  std::uint32_t element(bool half, unsigned lane, unsigned column);

  unsigned columns_;
  std::vector<std::uint32_t> words_;  // [lane][column]
  std::vector<Xorwow> generators_;
};

}  // namespace tern::tb
