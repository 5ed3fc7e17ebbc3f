// SPDX-License-Identifier: Apache-2.0
#include "tb/runtime/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sw/numerics/exp.h"  // the exponential is defined by its own tests (tb/numerics)

namespace tern::tb {

namespace {

std::uint32_t bits(float value) {
  std::uint32_t result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

float from_bits(std::uint32_t value) {
  float result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

float canonical(float value) {
  return from_bits(canonical_bits(value));
}

}  // namespace

std::uint32_t canonical_bits(float value) {
  return std::isnan(value) ? 0x7FC00000u : bits(value);
}

float half_to_float(Half format, std::uint16_t half) {
  if (format == Half::kBf16) return from_bits(std::uint32_t{half} << 16);
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  float magnitude;
  if (exponent == 31) {
    magnitude = fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                              : std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// To nearest even, from the definition: the neighbours are the truncation and the next larger
// magnitude.
std::uint16_t float_to_bf16(float value) {
  if (std::isnan(value)) return 0x7FC0;
  const std::uint32_t all = bits(value);
  const std::uint32_t low = all >> 16, rest = all & 0xFFFF;
  const bool up = rest > 0x8000 || (rest == 0x8000 && (low & 1) != 0);
  return static_cast<std::uint16_t>(low + (up ? 1 : 0));
}

std::vector<float> reference_matmul(Half format, const std::vector<std::uint16_t>& a,
                                    const std::vector<std::uint16_t>& b, std::size_t m,
                                    std::size_t k, std::size_t n) {
  std::vector<float> wide_b(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) wide_b[i] = half_to_float(format, b[i]);
  std::vector<float> c(m * n), chain(n);
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t slab = 0; slab < k; slab += 128) {
      std::fill(chain.begin(), chain.end(), 0.0f);
      for (std::size_t i = slab; i < std::min(k, slab + 128); ++i) {
        const float weight = half_to_float(format, a[i * m + row]);
        for (std::size_t col = 0; col < n; ++col) {
          chain[col] = std::fmaf(wide_b[i * n + col], weight, chain[col]);
        }
      }
      for (std::size_t col = 0; col < n; ++col) {
        float& sum = c[row * n + col];
        sum = canonical(slab == 0 ? chain[col] : sum + chain[col]);
      }
    }
  }
  return c;
}

ReferenceResult reference_mlp(const std::vector<std::uint16_t>& x, std::size_t batch,
                              const std::vector<ReferenceLayer>& layers) {
  std::vector<std::uint16_t> values = x;  // [features, batch]
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    const ReferenceLayer& layer = layers[l];
    const std::vector<float> sums =
        reference_matmul(Half::kBf16, layer.weight, values, layer.out, layer.in, batch);
    values.assign(layer.out * batch, 0);
    for (std::size_t i = 0; i < layer.out; ++i) {
      for (std::size_t j = 0; j < batch; ++j) {
        const float u = sums[i * batch + j] + layer.bias[i];
        values[i * batch + j] = std::isnan(u) ? 0x7FC0 : (u > 0 ? float_to_bf16(u) : 0);
      }
    }
  }
  const ReferenceLayer& last = layers.back();
  const std::size_t classes = last.out;
  ReferenceResult result;
  result.logits = reference_matmul(Half::kBf16, values, last.weight, batch, last.in, classes);
  result.probabilities.resize(result.logits.size());
  for (std::size_t j = 0; j < batch; ++j) {
    float* z = &result.logits[j * classes];
    float* p = &result.probabilities[j * classes];
    for (std::size_t i = 0; i < classes; ++i) z[i] = z[i] + last.bias[i];
    const float largest = *std::max_element(z, z + classes);
    float sum = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      p[i] = numerics::exp(z[i] + -largest);
      sum = i == 0 ? p[0] : sum + p[i];
    }
    const float inverse = 1.0f / sum;
    for (std::size_t i = 0; i < classes; ++i) p[i] = p[i] * inverse;
  }
  return result;
}

std::vector<std::uint16_t> random_half(Half format, std::size_t count, std::mt19937_64& random,
                                       bool wild) {
  std::vector<std::uint16_t> result(count);
  const bool bf16 = format == Half::kBf16;
  for (std::uint16_t& value : result) {
    const std::uint64_t r = random();
    const auto sign = static_cast<std::uint16_t>(r & 0x8000);
    const unsigned kind = static_cast<unsigned>(r >> 16 & 0xFF);
    if (wild && kind < 128) {
      value = static_cast<std::uint16_t>(r >> 32);  // any bits
    } else if (kind > 240) {
      value = sign;
    } else {  // exponents -4 .. 3 around 1
      const auto exponent = static_cast<unsigned>((bf16 ? 127 : 15) - 4 + (r >> 24 & 7));
      const unsigned width = bf16 ? 7 : 10;
      value =
          static_cast<std::uint16_t>(sign | exponent << width | (r >> 32 & ((1u << width) - 1)));
    }
  }
  return result;
}

}  // namespace tern::tb
