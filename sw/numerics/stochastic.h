// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sw/numerics/bf16.h"
#include "sw/numerics/dtype.h"
#include "sw/numerics/xorwow.h"

// Stochastic rounding (docs/numerics.md, section 6): up in magnitude with a probability equal to
// the part that is dropped.
namespace tern::numerics {

// To bf16: the draw's upper half is added to the part that is dropped. The inner loop of PSUM.
inline std::uint16_t bf16_stochastically(float value, std::uint32_t draw) {
  const std::uint32_t bits = bits_of(value);
  if (is_nan_bits(bits)) return kBf16Nan;
  const bool infinite = (bits & 0x7FFFFFFF) == 0x7F800000;
  return static_cast<std::uint16_t>((infinite ? bits : bits + (draw >> 16)) >> 16);
}

// Formats that can be written this way: bf16, fp16, e4m3, e5m2, e4m3fn.
bool rounds_stochastically(DType type);

// The code of `value` in such a format, with one 32-bit draw. Values of the format never move;
// NaN is canonical, infinity stays; above the largest finite value comes infinity (e4m3fn: NaN).
// Integer work only. Throws std::invalid_argument for another format.
std::uint32_t round_stochastically(DType type, float value, std::uint32_t draw);

// `count` contiguous elements; element i takes one draw of generators[i % generator_count],
// whatever its value.
void narrow_stochastically(DType type, const float* source, void* target, std::size_t count,
                           Xorwow* generators, std::size_t generator_count);

}  // namespace tern::numerics
