// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "sw/data/idx.h"

namespace tern::digits {

inline constexpr std::size_t kClasses = 10;

// logits = relu(x w1 + b1) w2 + b2, matrices row-major [inputs, outputs].
struct Mlp {
  std::size_t inputs = 0;
  std::size_t hidden = 0;
  std::vector<float> w1;  // [inputs, hidden]
  std::vector<float> b1;  // [hidden]
  std::vector<float> w2;  // [hidden, kClasses]
  std::vector<float> b2;  // [kClasses]
};

// Nearest even: the value that a BF16 operand holds.
float round_to_bf16(float value);

// Pixel values as the network receives them: bf16(u8 * (1/255)), the product in FP32.
const std::array<float, 256>& pixel_values();

// Weights become exact BF16 values; biases stay FP32.
void round_weights_to_bf16(Mlp& mlp);

// Images classified correctly with BF16 activations, sums in FP32.
std::size_t count_correct(const Mlp& mlp, const data::ImageSet& set);

// w1.npy, b1.npy, w2.npy, b2.npy: float32. Each appears under its name only when complete.
void write_weights(const Mlp& mlp, const std::filesystem::path& folder);

}  // namespace tern::digits
