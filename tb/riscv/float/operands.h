// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tb/riscv/float/outcome.h"

namespace tern::tb {

// Numbers at the limits of a format, with both signs: zeros, subnormals, the smallest and largest
// normal numbers, one ulp around powers of two, infinities, quiet and signalling NaNs.
template <typename Bits>
std::vector<Bits> edge_numbers();
// The few of them for all triples.
template <typename Bits>
std::vector<Bits> main_numbers();

// Integers at the limits of 8 to 64 bits and of significands.
template <typename Int>
std::vector<Int> edge_integers();

// Random operands that meet: near one another, near the limits of the format, near ties.
template <typename Bits>
class RandomOperands {
 public:
  explicit RandomOperands(std::uint64_t seed) : random_(seed), edges_(edge_numbers<Bits>()) {}

  Bits number();
  Operands<Bits> operands(Operation operation);
  // One beside an integer, or half-way between two.
  Bits near_integer();
  template <typename Int>
  Int integer();

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  Bits exponent_field();
  Bits fraction();
  Bits with_exponent(std::int64_t field, Bits value) const;
  Bits neighbour(Bits value);

  std::mt19937_64 random_;
  std::vector<Bits> edges_;
};

}  // namespace tern::tb
