// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

using Random = std::mt19937_64;

inline unsigned below(Random& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}
inline unsigned between(Random& random, unsigned low, unsigned high) {
  return low + below(random, high - low + 1);
}
template <typename T>
const T& pick(Random& random, const std::vector<T>& list) {
  return list[below(random, static_cast<unsigned>(list.size()))];
}

enum class Spread {
  kNearOne,   // exponents around 1, so that additions round and cancel
  kWide,      // any finite bits
  kSpecials,  // mostly those of special_elements()
};

// Signed zeros, smallest and largest subnormals and normals, infinities, quiet and signalling NaN,
// ones; of an x4 format those of one of its four elements.
const std::vector<std::uint32_t>& special_elements(TensorType type);
std::uint32_t random_element(Random& random, TensorType type, Spread spread);

const std::vector<TensorType>& all_types();

// A random binary32: any bits, of every exponent alike.
inline std::uint32_t random_binary32(Random& random) {
  return static_cast<std::uint32_t>(random());
}
const std::vector<std::uint32_t>& special_binary32();

}  // namespace tern::tb
