// SPDX-License-Identifier: Apache-2.0
#include "sw/numerics/exp.h"

#include "sw/numerics/float_bits.h"
#include "sw/numerics/generated/exp_table.h"

namespace tern::numerics {

using namespace exp_table;

namespace {

constexpr unsigned kRestBits = kFractionBits - kSegmentBits;
constexpr std::uint32_t kOne = 1u << kC0Bits;

// value / 2^drop to nearest even; 0 < drop < 32.
std::uint32_t round_off(std::uint32_t value, unsigned drop) {
  const std::uint32_t kept = value >> drop;
  const std::uint32_t rest = value & ((1u << drop) - 1);
  const std::uint32_t half = 1u << (drop - 1);
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

}  // namespace

std::uint32_t exp_significand(std::uint32_t fraction) {
  const Segment& c = kSegments[fraction >> kRestBits];
  const std::uint64_t rest = fraction & ((1u << kRestBits) - 1);
  const std::uint64_t slope = c.c1 + ((c.c2 * rest) >> (kFractionBits + kC2Bits - kC1Bits));
  return kOne + c.c0 +
         static_cast<std::uint32_t>((slope * rest) >> (kFractionBits + kC1Bits - kC0Bits));
}

float exp(float d) {
  const std::uint32_t bits = bits_of(d);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  const bool negative = (bits >> 31) != 0;
  if (is_nan_bits(bits)) return float_of(kCanonicalNan);
  if (magnitude < kUnityBelow) return 1.0f;
  if (!negative && bits >= kFirstOverflow) return float_of(0x7F800000);
  if (negative && bits > kLastNonzero) return 0.0f;

  // d = significand * 2^exponent exactly, -49 <= exponent <= -17: the product fits 58 bits and is
  // only truncated once.
  const std::int64_t significand = (magnitude & 0x7FFFFF) | 0x800000;
  const int exponent = static_cast<int>(magnitude >> 23) - 150;
  const std::int64_t product = (negative ? -significand : significand) * kLog2e;
  const std::int64_t t = product >> (static_cast<int>(kLog2eBits - kFractionBits) - exponent);
  const int k = static_cast<int>(t >> kFractionBits);
  const std::uint32_t y = exp_significand(static_cast<std::uint32_t>(t) & (kOne - 1));

  constexpr unsigned kDrop = kC0Bits - 23;
  if (k >= -126) {  // a carry out of the rounding moves into the exponent
    return float_of((static_cast<std::uint32_t>(k + 126) << 23) + round_off(y, kDrop));
  }
  return float_of(round_off(y, kDrop + static_cast<unsigned>(-126 - k)));
}

float exp_of_difference(float x, float m) {
  return exp(x - m);
}

}  // namespace tern::numerics
