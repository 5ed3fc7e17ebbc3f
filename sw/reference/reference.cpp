// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "sw/base/stop.h"
#include "sw/numerics/generated/exp_table.h"  // data of the contract, not code
#include "sw/reference/bits.h"

namespace tern::reference {
namespace {

constexpr std::size_t kSlab = 128;  // of the array: length of one chain

float round_half_even(double x) {
  // Exact if the value fits 53 bits, which every caller's does.
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0))
    return static_cast<float>(below + 1);
  return static_cast<float>(below);
}

// x to `bits` of significand, exponents from `emin` on: nearest even, in double (exact for FP32
// input).
double round_to(double x, int bits, int emin) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), emin);
  const double unit = std::ldexp(1.0, exponent - (bits - 1));
  return std::copysign(static_cast<double>(round_half_even(std::fabs(x) / unit)) * unit, x);
}

}  // namespace

std::uint16_t to_bf16(float x) {
  if (std::isnan(x)) return 0x7FC0;
  double y = round_to(x, 8, -126);
  if (std::fabs(y) >= std::ldexp(1.0, 128)) y = std::copysign(INFINITY, y);
  return static_cast<std::uint16_t>(bits_of(static_cast<float>(y)) >> 16);
}

float from_bf16(std::uint16_t bits) {
  return canonical(float_of(static_cast<std::uint32_t>(bits) << 16));
}

std::uint16_t to_fp16(float x) {
  if (std::isnan(x)) return 0x7E00;
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double y = std::fabs(round_to(x, 11, -14));
  if (y >= 65536.0) return sign | 0x7C00;
  if (y < std::ldexp(1.0, -14)) return sign | static_cast<std::uint16_t>(std::ldexp(y, 24));
  const int exponent = std::ilogb(y);
  const double fraction = std::ldexp(y, 10 - exponent) - 1024.0;
  return static_cast<std::uint16_t>(sign | ((exponent + 15) << 10) | static_cast<int>(fraction));
}

float from_fp16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction != 0 ? float_of(0x7FC00000) : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

float exponential(float d) {
  namespace table = numerics::exp_table;
  if (std::isnan(d)) return float_of(0x7FC00000);
  if (std::fabs(d) < std::ldexp(1.0f, -26)) return 1.0f;
  if (d >= float_of(table::kFirstOverflow)) return INFINITY;
  if (d < float_of(table::kLastNonzero)) return 0.0f;

  // t = floor(d * log2(e)) with 28 fraction bits: d is an integer multiple of 2^-49 here.
  __extension__ typedef __int128 Wide;
  const Wide scaled = static_cast<Wide>(std::ldexp(static_cast<double>(d), 49));
  const Wide product = scaled * table::kLog2e;  // units of 2^-(49+32)
  const Wide unit = static_cast<Wide>(1) << (49 + 32 - 28);
  Wide t = product / unit;
  if (product < 0 && product % unit != 0) --t;
  const Wide one = static_cast<Wide>(1) << 28;
  Wide fraction = t % one;
  if (fraction < 0) fraction += one;
  const int k = static_cast<int>((t - fraction) / one);

  // A quadratic per segment; each product keeps the fraction bits of the coefficient to which it is
  // added.
  const auto f = static_cast<std::uint64_t>(fraction);
  const std::uint64_t segment = std::uint64_t{1} << (28 - table::kSegmentBits);
  const auto& c = table::kSegments[f / segment];
  const std::uint64_t rest = f % segment;
  const std::uint64_t slope = c.c1 + (c.c2 * rest >> (28 + table::kC2Bits - table::kC1Bits));
  const std::uint64_t y = (std::uint64_t{1} << 28) + c.c0 + (slope * rest >> table::kC1Bits);
  return static_cast<float>(round_to(std::ldexp(static_cast<double>(y), k - 28), 24, -126));
}

std::vector<float> matmul(const std::vector<float>& a, const std::vector<float>& b, std::size_t k,
                          std::size_t m, std::size_t n) {
  std::vector<float> c(m * n);
  std::vector<float> chain(n);
  for (std::size_t i = 0; i < m; ++i) {
    base::end_if_requested();
    float* out = &c[i * n];
    for (std::size_t k0 = 0; k0 < k; k0 += kSlab) {
      std::fill(chain.begin(), chain.end(), 0.0f);
      for (std::size_t r = k0; r < std::min(k, k0 + kSlab); ++r) {
        const float w = a[r * m + i];
        const float* x = &b[r * n];
        for (std::size_t j = 0; j < n; ++j) chain[j] = std::fmaf(x[j], w, chain[j]);
      }
      for (std::size_t j = 0; j < n; ++j)
        out[j] = canonical(k0 == 0 ? chain[j] : out[j] + canonical(chain[j]));
    }
  }
  return c;
}

MlpResult mlp(const std::vector<float>& input, std::size_t batch,
              const std::vector<Layer>& layers) {
  const std::size_t features = layers.front().in;
  std::vector<float> x(features * batch);  // [features, batch]
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t f = 0; f < features; ++f) x[f * batch + b] = input[b * features + f];
  }
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    const Layer& layer = layers[l];
    std::vector<float> y = matmul(layer.weight, x, layer.in, layer.out, batch);
    for (std::size_t o = 0; o < layer.out; ++o) {
      for (std::size_t b = 0; b < batch; ++b) {
        float& v = y[o * batch + b];
        v += layer.bias[o];
        v = std::isnan(v) ? canonical(v) : (v > 0 ? v : 0.0f);
        v = from_bf16(to_bf16(v));
      }
    }
    x = std::move(y);
  }

  const Layer& last = layers.back();
  MlpResult result;
  result.logits = matmul(x, last.weight, last.in, batch, last.out);
  result.probabilities.resize(result.logits.size());
  for (std::size_t b = 0; b < batch; ++b) {
    float* logit = &result.logits[b * last.out];
    float* p = &result.probabilities[b * last.out];
    float largest = 0;
    for (std::size_t c = 0; c < last.out; ++c) {
      logit[c] = canonical(logit[c] + last.bias[c]);
      const bool poisoned = std::isnan(logit[c]) || (c > 0 && std::isnan(largest));
      if (poisoned) {
        largest = float_of(0x7FC00000);
      } else if (c == 0 || logit[c] > largest) {
        largest = logit[c];
      } else if (logit[c] == 0 && largest == 0 && !std::signbit(logit[c])) {
        largest = 0.0f;  // max(-0, +0) = +0
      }
    }
    float sum = 0;
    for (std::size_t c = 0; c < last.out; ++c) {
      p[c] = exponential(canonical(logit[c] - largest));
      sum = c == 0 ? p[c] : canonical(sum + p[c]);
    }
    const float inverse = canonical(1.0f / sum);
    for (std::size_t c = 0; c < last.out; ++c) p[c] = canonical(p[c] * inverse);
  }
  return result;
}

}  // namespace tern::reference
