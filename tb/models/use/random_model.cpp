// SPDX-License-Identifier: Apache-2.0
#include "tb/models/use/random_model.h"

#include <cmath>
#include <random>

namespace tern::tb {

namespace {

constexpr unsigned kVocabulary = 500;

class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed) {}

  std::vector<float> values(std::size_t count, float deviation, float mean = 0) {
    std::normal_distribution<float> normal(mean, deviation);
    std::vector<float> result(count);
    for (float& value : result) value = normal(random_);
    return result;
  }
  use::Dense dense(unsigned in, unsigned out) {
    const float deviation = 1.5f / std::sqrt(static_cast<float>(in));
    return {in, out, values(std::size_t{in} * out, deviation), values(out, 0.2f)};
  }
  use::Norm norm(unsigned width) { return {values(width, 0.2f, 1.0f), values(width, 0.3f)}; }

 private:
  std::mt19937_64 random_;
};

}  // namespace

use::Model random_model(std::uint64_t seed) {
  Source source(seed);
  use::Model model;
  model.vocabulary = kVocabulary;
  model.table = source.values(std::size_t{kVocabulary} * use::Model::kTableWidth, 0.3f);
  for (unsigned i = 0; i < use::Model::kTableWidth / 2; ++i)
    model.inverse_times.push_back(std::pow(0.93f, static_cast<float>(i)));
  model.norm_epsilon = 1e-6f;
  model.length_epsilon = 1e-12f;
  unsigned width = use::Model::kTableWidth;
  for (use::Block& block : model.blocks) {
    constexpr unsigned kOut = use::Model::kWidth, kHidden = 1536;
    block.width = width;
    block.heads = 4;
    block.head = width / block.heads;
    block.query_scale = 1 / std::sqrt(static_cast<float>(block.head));
    block.attention_norm = source.norm(width);
    block.feed_norm = source.norm(kOut);
    block.qkv = source.dense(width, 3 * width);
    block.output = source.dense(width, kOut);
    if (width != kOut) block.residual = source.dense(width, kOut);
    block.feed_in = source.dense(kOut, kHidden);
    block.feed_out = source.dense(kHidden, kOut);
    width = kOut;
  }
  model.last = source.dense(width, width);
  return model;
}

std::vector<std::vector<std::uint32_t>> random_sentences(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::uint32_t>> sentences(count);
  for (auto& sentence : sentences) {
    sentence.resize(1 + random() % (random() % 2 == 0 ? 24 : use::Model::kMaxTokens));
    for (std::uint32_t& token : sentence)
      token = static_cast<std::uint32_t>(random() % kVocabulary);
  }
  return sentences;
}

}  // namespace tern::tb
