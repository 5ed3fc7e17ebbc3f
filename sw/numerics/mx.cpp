// SPDX-License-Identifier: Apache-2.0
#include "sw/numerics/mx.h"

#include <algorithm>

#include "sw/numerics/bf16.h"

namespace tern::numerics {

namespace {

constexpr std::uint32_t kInfinity = 0x7F800000;

bool is_finite(float value) {
  return (bits_of(value) & 0x7FFFFFFF) < kInfinity;
}

bool is_zero(float value) {
  return (bits_of(value) & 0x7FFFFFFF) == 0;
}

// A finite FP32 magnitude as significand * 2^exponent.
struct Parts {
  std::uint64_t significand;
  int exponent;
};

Parts parts_of(float value) {
  const std::uint32_t magnitude = bits_of(value) & 0x7FFFFFFF;
  const int field = static_cast<int>(magnitude >> 23);
  if (field == 0) return {magnitude, -149};
  return {(magnitude & 0x7FFFFF) | 0x800000, field - 150};
}

int leading_one(std::uint64_t value) {
  int position = 0;
  while ((value >>= 1) != 0) ++position;
  return position;
}

// The magnitude of a BF16: to nearest even, overflow gives infinity.
std::uint32_t round_bf16(const Parts& parts) {
  if (parts.significand == 0) return 0;
  const int exponent = std::max(leading_one(parts.significand) + parts.exponent, -126);
  const int drop = exponent - 7 - parts.exponent;  // of the significand's bits
  std::uint64_t kept = 0;
  if (drop <= 0) {
    kept = parts.significand << -drop;
  } else if (drop < 63) {
    kept = parts.significand >> drop;
    const std::uint64_t rest = parts.significand - (kept << drop);
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  }
  // `kept` includes the leading one of a normal result, and a carry may follow it.
  const auto bits =
      static_cast<std::uint32_t>(((exponent + 126) << 7)) + static_cast<std::uint32_t>(kept);
  return std::min<std::uint32_t>(bits, 0x7F80);
}

}  // namespace

int floor_log2(float value) {
  const Parts parts = parts_of(value);
  return leading_one(parts.significand) + parts.exponent;
}

std::uint8_t mx_scale(const SmallFormat& format, MxRule rule, const float* values,
                      std::size_t count) {
  std::uint32_t largest = 0;  // FP32 magnitudes are ordered like their bits
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, bits_of(values[i]) & 0x7FFFFFFF);
  }
  if (largest >= kInfinity) return kE8m0Nan;
  if (largest == 0) return 0;
  const int headroom = rule == MxRule::kAws ? 1 : 0;
  return e8m0_from_exponent(floor_log2(float_of(largest)) - (format.largest_exponent - headroom));
}

std::uint8_t mx_element(const SmallFormat& format, float value, std::uint8_t scale) {
  const std::uint32_t sign = bits_of(value) & 0x80000000;
  const std::uint32_t zero = encode_bits(format, sign, Overflow::kSaturate);
  if (scale == kE8m0Nan || is_zero(value)) return static_cast<std::uint8_t>(zero);
  if (!is_finite(value)) return encode_bits(format, bits_of(value), Overflow::kSaturate);
  // The quotient as FP32. Where it leaves FP32's normal range it is far outside of every element
  // format: a zero, or saturated.
  const Parts parts = parts_of(value);
  const int shift = 23 - leading_one(parts.significand);
  const auto fraction = static_cast<std::uint32_t>(parts.significand << shift) & 0x7FFFFF;
  const int field = parts.exponent - shift + 150 - (scale - 127);
  if (field < 1) return static_cast<std::uint8_t>(zero);
  const std::uint32_t quotient =
      field > 254 ? kInfinity : (static_cast<std::uint32_t>(field) << 23 | fraction);
  return encode_bits(format, sign | quotient, Overflow::kSaturate);
}

std::uint8_t mx_quantize(const SmallFormat& format, MxRule rule, const float* values,
                         std::size_t count, std::uint8_t* codes) {
  const std::uint8_t scale = mx_scale(format, rule, values, count);
  for (std::size_t i = 0; i < count; ++i) codes[i] = mx_element(format, values[i], scale);
  return scale;
}

float mx_dequantize(float element, std::uint8_t scale) {
  const std::uint32_t bits = bits_of(element);
  if (is_nan_bits(bits) || scale == kE8m0Nan) return float_of(kCanonicalNan);
  if (is_zero(element) || !is_finite(element)) return element;
  const std::uint32_t sign = bits & 0x80000000;
  const int field = static_cast<int>((bits >> 23) & 0xFF) + scale - 127;
  if (field > 254) return float_of(sign | kInfinity);
  if (field > 0) {
    return float_of(sign | static_cast<std::uint32_t>(field) << 23 | (bits & 0x7FFFFF));
  }
  // A decoded element is at least 2^-16 with at most four significant bits: nothing is lost.
  const std::uint32_t significand = (bits & 0x7FFFFF) | 0x800000;
  return float_of(sign | significand >> (1 - field));
}

std::uint16_t mx_dequantize_bf16(float element, std::uint8_t scale) {
  return bf16_from_float(mx_dequantize(element, scale));  // the first step is exact
}

std::uint32_t mx_expand(std::uint16_t e2m1_x4) {
  std::uint32_t bytes = 0;
  for (unsigned slot = 0; slot < kMxSlots; ++slot) {
    const auto code = static_cast<std::uint8_t>(e2m1_x4 >> (4 * slot));
    bytes |= static_cast<std::uint32_t>(e4m3fn_from_e2m1(code)) << (8 * slot);
  }
  return bytes;
}

std::uint16_t nvfp4_dequantize(std::uint8_t e2m1, std::uint8_t e4m3fn_scale, float factor) {
  const float element = e2m1_to_float(e2m1);
  const float scale = e4m3fn_to_float(e4m3fn_scale);
  const std::uint32_t sign = (bits_of(element) ^ bits_of(scale) ^ bits_of(factor)) >> 31 << 15;
  if (is_nan_bits(bits_of(scale)) || is_nan_bits(bits_of(factor))) return kBf16Nan;
  if (!is_finite(factor)) {
    const bool zero = is_zero(element) || is_zero(scale);
    return static_cast<std::uint16_t>(zero ? kBf16Nan : (sign | 0x7F80));
  }
  // The product of element and scale has at most six significant bits, that of all three 30: one
  // rounding remains.
  const Parts a = parts_of(element), b = parts_of(scale), c = parts_of(factor);
  const std::uint64_t small = (a.significand >> 20) * (b.significand >> 20);
  const Parts product = {small * c.significand, a.exponent + b.exponent + c.exponent + 40};
  return static_cast<std::uint16_t>(sign | round_bf16(product));
}

}  // namespace tern::numerics
