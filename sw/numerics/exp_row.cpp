// SPDX-License-Identifier: Apache-2.0
// The exponential of exp.cpp in words of 32 bits and without a branch, as the RTL computes it: then
// every lane of a vector unit takes one element.
#include "sw/numerics/exp.h"

#include <algorithm>

#include "sw/numerics/float_bits.h"
#include "sw/numerics/generated/exp_table.h"

namespace tern::numerics {

using namespace exp_table;

namespace {

constexpr std::uint32_t kFractionMask = (1u << kFractionBits) - 1;
constexpr unsigned kRestBits = kFractionBits - kSegmentBits;
constexpr std::uint32_t kRestMask = (1u << kRestBits) - 1;

static_assert(kFractionBits == 28 && kSegmentBits == 6 && kLog2eBits == 32 && kC0Bits == 28 &&
                  kC1Bits == 22 && kC2Bits == 14,
              "the words below are cut for these widths");

// d * log2(e): k = floor, fraction in units of 2^-28, for inputs that are no special case.
struct Fixed {
  std::int32_t k;
  std::uint32_t fraction;
};

inline std::uint32_t shift_right(std::uint32_t value, std::uint32_t by) {
  return by > 31 ? 0 : value >> (by & 31);
}

inline Fixed scale(std::uint32_t bits) {
  constexpr auto kLow = static_cast<std::uint32_t>(kLog2e & 0xFFFF);
  constexpr auto kHigh = static_cast<std::uint32_t>(kLog2e >> 16);  // 17 bits
  const std::uint32_t significand = (bits & 0x7FFFFF) | 0x800000;
  const std::uint32_t low = significand & 0xFFF, high = significand >> 12;
  const std::uint32_t middle1 = high * kLow, middle2 = low * kHigh;
  // The product of 57 bits as upper * 2^28 + lower.
  std::uint32_t lower = low * kLow + ((middle1 & 0xFFFF) << 12) + ((middle2 & 0xFFF) << 16);
  std::uint32_t upper = high * kHigh + (middle1 >> 16) + (middle2 >> 12) + (lower >> 28);
  lower &= kFractionMask;
  // 4 - (exponent of d), at least 21: the product times 2^-21, as whole * 2^28 + part.
  const std::uint32_t cut = 154 - ((bits >> 23) & 0xFF);
  const std::uint32_t whole = upper >> 21;
  const std::uint32_t part = ((upper << 7) & kFractionMask) | (lower >> 21);
  const std::uint32_t by = cut - 21;  // 0 .. 32
  const std::uint32_t near = ((whole << ((28 - by) & 31)) | (part >> (by & 31))) & kFractionMask;
  const std::uint32_t far = shift_right((whole << 20) | (part >> 8), by - 8);
  const std::uint32_t k = shift_right(whole, by);
  const std::uint32_t fraction = by < 8 ? near : far;
  // Towards minus infinity. log2(e)'s factor is odd, so the product ends in as many zeros as d.
  const std::uint32_t inexact = (significand & ((1u << (cut > 31 ? 31 : cut)) - 1)) != 0 ? 1 : 0;
  const bool negative = (bits >> 31) != 0;
  const std::uint32_t borrow = (fraction | inexact) != 0 ? 1 : 0;
  return {static_cast<std::int32_t>(negative ? 0 - k - borrow : k),
          negative ? (0 - fraction - inexact) & kFractionMask : fraction};
}

inline std::uint32_t significand_of(std::uint32_t fraction) {
  const Segment& c = kSegments[fraction >> kRestBits];
  const std::uint32_t r = fraction & kRestMask;
  // Truncating a sum of shifted products term by term drops the same bits as truncating it once.
  const std::uint32_t slope = c.c1 + ((c.c2 * (r >> 11) + ((c.c2 * (r & 0x7FF)) >> 11)) >> 9);
  const std::uint32_t low = (slope * (r & 0xFF)) >> 8;
  const std::uint32_t middle = (slope * ((r >> 8) & 0xFF) + low) >> 8;
  return (1u << 28) + c.c0 + ((slope * (r >> 16) + middle) >> 6);
}

inline std::uint32_t exp_bits(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  const bool negative = (bits >> 31) != 0;
  const bool nan = is_nan_bits(bits);
  const bool one = magnitude < kUnityBelow;
  const bool infinite = !negative && magnitude >= kFirstOverflow;
  const bool zero = negative && magnitude > (kLastNonzero & 0x7FFFFFFF);
  // Special cases take the word of 1 through the arithmetic: its shifts stay in range.
  const Fixed t = scale(nan || one || infinite || zero ? 0x3F800000 : bits);
  const std::uint32_t y = significand_of(t.fraction);
  const bool normal = t.k >= -126;
  const auto drop = static_cast<std::uint32_t>(normal ? 5 : -121 - t.k);
  const std::uint32_t odd = (y >> drop) & 1;
  const std::uint32_t rounded = (y + (1u << (drop - 1)) - 1 + odd) >> drop;
  const std::uint32_t base = normal ? static_cast<std::uint32_t>(t.k + 126) << 23 : 0;
  std::uint32_t result = base + rounded;
  result = one ? 0x3F800000 : result;
  result = infinite ? 0x7F800000 : result;
  result = zero ? 0 : result;
  return nan ? kCanonicalNan : result;
}

}  // namespace

void exp_row(const float* d, float* y, std::size_t n) {
  // Through a separate buffer: in place, the loop could not be vectorised.
  constexpr std::size_t kBlock = 512;
  float block[kBlock];
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t count = std::min(kBlock, n - first);
    for (std::size_t i = 0; i < count; ++i) block[i] = float_of(exp_bits(bits_of(d[first + i])));
    std::copy_n(block, count, y + first);
  }
}

}  // namespace tern::numerics
