// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

// Host references, written from docs/numerics.md alone: plain loops, std::fmaf, no code of the
// models.
namespace tern::tb {

enum class Half { kBf16, kFp16 };

float half_to_float(Half format, std::uint16_t bits);
std::uint16_t float_to_bf16(float value);
// A quiet NaN becomes the canonical one.
std::uint32_t canonical_bits(float value);

// c[m, n] = sum over k of a[k, m] * b[k, n]: chains of 128, added in FP32.
std::vector<float> reference_matmul(Half format, const std::vector<std::uint16_t>& a,
                                    const std::vector<std::uint16_t>& b, std::size_t m,
                                    std::size_t k, std::size_t n);

struct ReferenceLayer {
  std::size_t in = 0, out = 0;
  std::vector<std::uint16_t> weight;  // [in, out] BF16
  std::vector<float> bias;            // [out]
};
struct ReferenceResult {
  std::vector<float> logits, probabilities;  // [batch, classes]
};
// x: [features, batch] BF16.
ReferenceResult reference_mlp(const std::vector<std::uint16_t>& x, std::size_t batch,
                              const std::vector<ReferenceLayer>& layers);

// Random operands of about unit size with some zeros, of both signs; `wild` mixes in infinities,
// NaN, subnormals and large numbers.
std::vector<std::uint16_t> random_half(Half format, std::size_t count, std::mt19937_64& random,
                                       bool wild = false);

}  // namespace tern::tb
