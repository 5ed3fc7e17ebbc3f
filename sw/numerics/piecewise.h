// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "sw/numerics/float_bits.h"

// A function as polynomials of degree 5, one per segment of its inputs. Every power of two of |u|
// is cut into 2^n segments of equal width, n chosen for each. Evaluated in FP32, one fma per
// degree.
namespace tern::numerics {

struct PiecewiseTable {
  std::uint32_t lowest, below;    // FP32: inputs below `lowest` give `below`
  std::uint32_t highest, above;   // inputs above `highest` give `above` (or u)
  std::int32_t before_first;      // biased exponent below the first one that has its own range
  std::uint32_t positive_ranges;  // ranges of the positive inputs; those of the negative follow
  const std::uint32_t* ranges;    // first segment << 5 | shift of the significand
  const std::uint32_t (*segments)[8];  // FP32: centre, c0 .. c5; one word unused
};

// kNone: tables for both signs; kOdd and kEven: for |u|.
enum class Symmetry { kNone, kOdd, kEven };

template <Symmetry symmetry, bool above_is_u>
inline float piecewise(const PiecewiseTable& table, float u) {
  const std::uint32_t sign = bits_of(u) & 0x80000000;
  const float x = symmetry == Symmetry::kNone ? u : float_of(bits_of(u) & 0x7FFFFFFF);
  const float lowest = float_of(table.lowest), highest = float_of(table.highest);
  // Into the table, NaN too: its result is replaced below.
  float v = x > lowest ? x : lowest;
  v = v < highest ? v : highest;

  const std::uint32_t bits = bits_of(v);
  const std::int32_t above_first =
      static_cast<std::int32_t>((bits >> 23) & 0xFF) - table.before_first;
  std::uint32_t range_index = static_cast<std::uint32_t>(above_first > 0 ? above_first : 0);
  if (symmetry == Symmetry::kNone) range_index += (bits >> 31) != 0 ? table.positive_ranges : 0;
  const std::uint32_t range = table.ranges[range_index];
  const std::uint32_t* segment = table.segments[(range >> 5) + ((bits & 0x7FFFFF) >> (range & 31))];

  const float r = v - float_of(segment[0]);  // exact
  float y = float_of(segment[6]);
  y = std::fma(y, r, float_of(segment[5]));
  y = std::fma(y, r, float_of(segment[4]));
  y = std::fma(y, r, float_of(segment[3]));
  y = std::fma(y, r, float_of(segment[2]));
  y = std::fma(y, r, float_of(segment[1]));

  y = x > highest ? (above_is_u ? x : float_of(table.above)) : y;
  if (symmetry == Symmetry::kNone) y = x < lowest ? float_of(table.below) : y;
  if (symmetry == Symmetry::kOdd) y = float_of(bits_of(y) ^ sign);
  return float_of(is_nan_bits(bits_of(u)) || is_nan_bits(bits_of(y)) ? kCanonicalNan : bits_of(y));
}

}  // namespace tern::numerics
