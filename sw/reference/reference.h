// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// The arithmetic contract (docs/numerics.md) a second time, as plain host loops. Deliberately
// shares no code with sw/numerics or the engines: `tern run` compares their bits
// with it.
namespace tern::reference {

// Nearest even; overflow becomes infinity, every NaN the canonical one.
std::uint16_t to_bf16(float x);
std::uint16_t to_fp16(float x);
float from_bf16(std::uint16_t bits);
float from_fp16(std::uint16_t bits);

// The contract's exponential, in wide integers.
float exponential(float d);

// C[M, N] = A^T x B for A [K, M] and B [K, N], row major, values already of the operand format.
// Chains of 128 rows from +0, one rounding a step; chains joined by one FP32 addition each, in
// order.
std::vector<float> matmul(const std::vector<float>& a, const std::vector<float>& b, std::size_t k,
                          std::size_t m, std::size_t n);

struct Layer {
  std::size_t in = 0, out = 0;
  std::vector<float> weight;  // [in, out], BF16 values
  std::vector<float> bias;    // [out], FP32
};

struct MlpResult {
  std::vector<float> logits;         // [batch, classes]
  std::vector<float> probabilities;  // [batch, classes]
};

// ReLU after every layer except the last, softmax after that. input [batch, features], BF16 values.
// Hidden activations are rounded to BF16.
MlpResult mlp(const std::vector<float>& input, std::size_t batch, const std::vector<Layer>& layers);

}  // namespace tern::reference
