// SPDX-License-Identifier: Apache-2.0
// a^b = 2^(b * log2(a)) in FP64: sums, products, quotients and fma only, which every IEEE host
// rounds alike. The logarithm keeps its relative accuracy near 1, where its series starts.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "sw/numerics/alu.h"

namespace tern::numerics {

namespace {

constexpr double kLog2e = 0x1.71547652b82fep+0;
constexpr double kLog2eRest = 0x1.777d0ffda0d24p-56;  // log2(e) - kLog2e
constexpr double kLn2 = 0x1.62e42fefa39efp-1;

double bits_to_double(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// log2 of a finite value above zero (an FP32 value: never subnormal in FP64).
double log2_of(double a) {
  std::uint64_t bits;
  std::memcpy(&bits, &a, sizeof bits);
  // The significand between sqrt(1/2) and sqrt(2), so that values near 1 have exponent 0.
  constexpr std::uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDu;
  const std::int64_t exponent = static_cast<std::int64_t>(bits - kSqrtHalf) >> 52;
  const double m = bits_to_double(bits - (static_cast<std::uint64_t>(exponent) << 52));
  // ln(m) = 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172; m - 1 is exact.
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 1.0 / 23.0;
  for (int k = 21; k >= 3; k -= 2) sum = std::fma(sum, s2, 1.0 / k);
  const double ln = 2.0 * std::fma(s * s2, sum, s);
  return std::fma(ln, kLog2e, std::fma(ln, kLog2eRest, static_cast<double>(exponent)));
}

// 2^t for |t| < 1000, one rounding away from FP32.
double exp2_of(double t) {
  const double whole = std::nearbyint(t);
  const double x = (t - whole) * kLn2;
  double sum = 1.0;
  for (int k = 14; k >= 1; --k) sum = std::fma(sum, x / k, 1.0);
  return sum * bits_to_double(static_cast<std::uint64_t>(1023 + static_cast<int>(whole)) << 52);
}

bool is_integer(float b) {
  return std::trunc(b) == b;
}
bool is_odd_integer(float b) {
  return is_integer(b) && std::fabs(b) < 16777216.0f && (static_cast<std::int32_t>(b) & 1) != 0;
}

}  // namespace

float power(float a, float b) {
  if (b == 0.0f || a == 1.0f) return 1.0f;  // even of NaN
  if (is_nan_bits(bits_of(a)) || is_nan_bits(bits_of(b))) return float_of(kCanonicalNan);
  const bool odd = is_odd_integer(b);
  const float magnitude = std::fabs(a);
  const bool negative = std::signbit(a) && odd;
  const auto with_sign = [negative](float value) { return negative ? -value : value; };
  if (std::isinf(b)) {
    if (magnitude == 1.0f) return 1.0f;
    return (magnitude > 1.0f) == (b > 0.0f) ? INFINITY : 0.0f;
  }
  if (magnitude == 0.0f) return with_sign(b > 0.0f ? 0.0f : INFINITY);
  if (std::isinf(magnitude)) return with_sign(b > 0.0f ? INFINITY : 0.0f);
  if (a < 0.0f && !is_integer(b)) return float_of(kCanonicalNan);

  const double t = static_cast<double>(b) * log2_of(static_cast<double>(magnitude));
  if (t >= 129.0) return with_sign(INFINITY);
  if (t <= -151.0) return with_sign(0.0f);
  return with_sign(static_cast<float>(exp2_of(t)));
}

}  // namespace tern::numerics
