// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/numerics/float_bits.h"

namespace tern::numerics {

constexpr std::uint16_t kBf16Nan = 0x7FC0;

// Exact; a NaN keeps its payload.
inline float bf16_to_float(std::uint16_t bits) {
  return float_of(static_cast<std::uint32_t>(bits) << 16);
}

// To nearest even; overflow gives infinity, NaN the canonical one. Integer work only: no dependence
// on the host's floating-point modes, and no branch, so that loops vectorise.
inline std::uint16_t bf16_from_float(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  return static_cast<std::uint16_t>(is_nan_bits(bits) ? kBf16Nan : rounded);
}

}  // namespace tern::numerics
