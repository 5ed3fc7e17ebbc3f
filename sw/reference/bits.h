// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tern::reference {

inline std::uint32_t bits_of(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline float float_of(std::uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Replaces a NaN by the canonical one.
inline float canonical(float x) {
  return std::isnan(x) ? float_of(0x7FC00000) : x;
}

}  // namespace tern::reference
