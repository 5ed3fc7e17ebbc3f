// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

#include "sw/numerics/float_bits.h"

namespace tern::tb {

// Binary32 from -70 to 10, and sometimes any bits: NaN and infinity too.
inline std::uint32_t random_word(std::mt19937_64& random) {
  if (random() % 64 == 0) return static_cast<std::uint32_t>(random());
  return numerics::bits_of(static_cast<float>(static_cast<double>(random() % 8000) / 100.0 - 70.0));
}

}  // namespace tern::tb
