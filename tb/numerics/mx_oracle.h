// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

// docs/numerics.md, section 5, word by word in double: an oracle for the library and for the RTL.
namespace tern::tb {

// An element format by its definition.
struct MxFormat {
  int exponent_bits, mantissa_bits, bias, emax;
  bool ieee;     // largest exponent field: infinity and NaN
  bool one_nan;  // all ones: NaN

  unsigned codes() const { return 1u << (1 + exponent_bits + mantissa_bits); }
  double decode(unsigned code) const {
    const int exponent = static_cast<int>(code >> mantissa_bits) & ((1 << exponent_bits) - 1);
    const int mantissa = static_cast<int>(code) & ((1 << mantissa_bits) - 1);
    const double sign = code >= codes() / 2 ? -1.0 : 1.0;
    const bool top = exponent == (1 << exponent_bits) - 1;
    const double nan = std::copysign(std::nan(""), sign);
    if (ieee && top) return mantissa != 0 ? nan : sign * HUGE_VAL;
    if (one_nan && top && mantissa == (1 << mantissa_bits) - 1) return nan;
    const int significand = exponent == 0 ? mantissa : (1 << mantissa_bits) + mantissa;
    return sign * std::ldexp(significand, std::max(exponent, 1) - bias - mantissa_bits);
  }
  // The nearest finite value, the even code of two; so it saturates. A binary search over the
  // positive codes, which are ordered.
  std::uint8_t nearest(double value) const {
    const double magnitude = std::fabs(value);
    unsigned low = 0, high = codes() / 2 - 1;
    while (!std::isfinite(decode(high))) --high;
    if (magnitude >= decode(high)) low = high;
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      (decode(middle) <= magnitude ? low : high) = middle;
    }
    const double below = magnitude - decode(low), above = decode(high) - magnitude;
    const bool up = low != high && (above < below || (above == below && high % 2 == 0));
    return static_cast<std::uint8_t>((up ? high : low) + (std::signbit(value) ? codes() / 2 : 0));
  }
};

constexpr MxFormat kMxE4m3Fn{4, 3, 7, 8, false, true};
constexpr MxFormat kMxE5m2{5, 2, 15, 15, true, false};
constexpr MxFormat kMxE2m1{2, 1, 1, 2, false, false};

struct MxBlock {
  std::uint8_t scale = 0;
  std::vector<std::uint8_t> codes;
};

inline MxBlock mx_reference(const MxFormat& format, bool ocp, const std::vector<double>& block) {
  MxBlock result;
  double amax = 0;
  bool special = false;
  for (const double x : block) {
    special = special || !std::isfinite(x);
    amax = std::max(amax, std::fabs(x));
  }
  if (special) {
    result.scale = 0xFF;
  } else if (amax > 0) {
    const int exponent = std::ilogb(amax) - (ocp ? format.emax : format.emax - 1);
    result.scale = static_cast<std::uint8_t>(std::min(std::max(exponent, -127), 127) + 127);
  }
  for (const double x : block) {
    const double scaled = special ? std::copysign(0.0, x) : std::ldexp(x, 127 - result.scale);
    result.codes.push_back(format.nearest(scaled));
  }
  return result;
}

// The BF16 nearest to a value, ties to even; the canonical NaN.
inline std::uint16_t bf16_of_double(double value) {
  if (std::isnan(value)) return 0x7FC0;
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  if (magnitude >= std::ldexp(511.0 / 256, 127)) return static_cast<std::uint16_t>(sign | 0x7F80);
  const int exponent = std::max(std::ilogb(magnitude), -126);
  const double units = std::ldexp(magnitude, 7 - exponent);  // exact: a power of two
  double whole = std::floor(units);
  const double rest = units - whole;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0)) whole += 1;
  return static_cast<std::uint16_t>(
      sign | (static_cast<unsigned>((exponent + 126) << 7) + static_cast<unsigned>(whole)));
}

}  // namespace tern::tb
