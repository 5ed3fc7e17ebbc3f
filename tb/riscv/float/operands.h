// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tern::tb {

// Zeros, subnormal numbers, limits, infinities, NaNs, powers of two and their neighbours, numbers
// next to integer limits and halves; of both signs.
template <typename Bits>
std::vector<Bits> edge_operands();

// Any bits, edges, numbers with few set bits, and exponents close to that of `near`.
template <typename Bits>
Bits random_operand(std::mt19937_64& random, Bits near);

}  // namespace tern::tb
