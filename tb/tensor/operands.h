// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "systemc/engines/tensor_datapath.h"

namespace tern::tb {

using Random = std::mt19937_64;

inline unsigned below(Random& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}
inline unsigned between(Random& random, unsigned low, unsigned high) {
  return low + below(random, high - low + 1);
}

// Signed zeros, smallest and largest subnormals and normals, infinities, quiet and signalling NaN,
// ones.
inline const std::vector<std::uint16_t>& special_elements(TensorType type) {
  static const std::vector<std::uint16_t> bf16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x807F,
                                                  0x0080, 0x8080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80,
                                                  0x7FC0, 0x7F81, 0x3F80, 0xBF80, 0x3F81, 0x0040};
  static const std::vector<std::uint16_t> fp16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF,
                                                  0x0400, 0x8400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
                                                  0x7E00, 0x7C01, 0x3C00, 0xBC00, 0x3C01, 0x0200};
  return type == TensorType::kBf16 ? bf16 : fp16;
}

enum class Spread { kNearOne, kWide, kSpecials };

// A random element: `kNearOne` exponents around 1 so that additions round and cancel, `kWide` any
// finite bits, `kSpecials` mostly the list above.
inline std::uint16_t random_element(Random& random, TensorType type, Spread spread) {
  const bool bf16 = type == TensorType::kBf16;
  const auto any = static_cast<std::uint16_t>(random());
  if (spread == Spread::kSpecials && below(random, 4) != 0) {
    const auto& list = special_elements(type);
    return list[below(random, static_cast<unsigned>(list.size()))];
  }
  if (spread == Spread::kNearOne) {
    return static_cast<std::uint16_t>(bf16 ? (any & 0x807F) | (between(random, 121, 131) << 7)
                                           : (any & 0x83FF) | (between(random, 11, 19) << 10));
  }
  const unsigned special = bf16 ? 0x7F80 : 0x7C00;
  return (any & special) == special ? static_cast<std::uint16_t>(any & ~special) : any;
}

// A random binary32: any bits, of every exponent alike.
inline std::uint32_t random_binary32(Random& random) {
  return static_cast<std::uint32_t>(random());
}

inline const std::vector<std::uint32_t>& special_binary32() {
  static const std::vector<std::uint32_t> list = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF,
      0x00800000, 0x80800000, 0x00800001, 0x3F800000, 0xBF800000, 0x3F800001,
      0x3F7FFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
      0x7F800001, 0xFFC12345, 0x4B800000, 0x33800000, 0x7F000000, 0x01000000};
  return list;
}

}  // namespace tern::tb
