// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/numerics/float_bits.h"

namespace tern::numerics {

// The value of a TF32 operand, whose memory format is an FP32 word: the 13 low significand bits are
// truncated. It is NaN if the whole word is NaN, even when only dropped bits say so.
inline float tf32_to_float(std::uint32_t word) {
  return float_of(is_nan_bits(word) ? kCanonicalNan : word & 0xFFFFE000u);
}

}  // namespace tern::numerics
