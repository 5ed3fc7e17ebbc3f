// SPDX-License-Identifier: Apache-2.0
#include "sw/examples/digits/mlp.h"

#include <algorithm>
#include <cstdint>

#include "sw/data/npy.h"
#include "sw/numerics/bf16.h"

namespace tern::digits {

float round_to_bf16(float value) {
  return numerics::bf16_to_float(numerics::bf16_from_float(value));
}

const std::array<float, 256>& pixel_values() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> table{};
    for (std::size_t u = 0; u < table.size(); ++u) {
      table[u] = round_to_bf16(static_cast<float>(u) * (1.0f / 255.0f));
    }
    return table;
  }();
  return values;
}

void round_weights_to_bf16(Mlp& mlp) {
  for (float& w : mlp.w1) w = round_to_bf16(w);
  for (float& w : mlp.w2) w = round_to_bf16(w);
}

std::size_t count_correct(const Mlp& mlp, const data::ImageSet& set) {
  const auto& value_of = pixel_values();
  std::vector<float> hidden(mlp.hidden);
  std::array<float, kClasses> logits{};
  std::size_t correct = 0;
  for (std::size_t i = 0; i < set.count; ++i) {
    std::fill(hidden.begin(), hidden.end(), 0.0f);
    const std::uint8_t* image = set.image(i);
    for (std::size_t k = 0; k < mlp.inputs; ++k) {
      if (image[k] == 0) continue;  // four pixels of five
      const float x = value_of[image[k]];
      const float* row = mlp.w1.data() + k * mlp.hidden;
      for (std::size_t j = 0; j < mlp.hidden; ++j) hidden[j] += x * row[j];
    }
    logits.fill(0.0f);
    for (std::size_t j = 0; j < mlp.hidden; ++j) {
      const float h = round_to_bf16(std::max(hidden[j] + mlp.b1[j], 0.0f));
      for (std::size_t c = 0; c < kClasses; ++c) logits[c] += h * mlp.w2[j * kClasses + c];
    }
    for (std::size_t c = 0; c < kClasses; ++c) logits[c] += mlp.b2[c];
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    correct += best == set.labels[i] ? 1 : 0;
  }
  return correct;
}

void write_weights(const Mlp& mlp, const std::filesystem::path& folder) {
  const auto write = [&](const char* name, const data::Shape& shape, const std::vector<float>& v) {
    data::write_npy(folder / name, data::make_array(data::DType::kF32, shape, v));
  };
  write("w1.npy", {mlp.inputs, mlp.hidden}, mlp.w1);
  write("b1.npy", {mlp.hidden}, mlp.b1);
  write("w2.npy", {mlp.hidden, kClasses}, mlp.w2);
  write("b2.npy", {kClasses}, mlp.b2);
}

}  // namespace tern::digits
