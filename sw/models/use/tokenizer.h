// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tern::use {

// Text to the numbers of its pieces: the segmentation with the largest sum of the pieces' scores
// (a unigram language model), found as the npm package @energetic-ai/embeddings does. README.md has
// the rules, including characters that the vocabulary lacks.
class Tokenizer {
 public:
  // A JSON list of [piece, score]. UserErrors name the file.
  explicit Tokenizer(const std::filesystem::path& vocabulary);

  // `text` in UTF-8; invalid bytes become U+FFFD. No text: no pieces.
  std::vector<std::uint32_t> encode(std::string_view text) const;
  const std::string& piece(std::uint32_t index) const { return pieces_.at(index); }
  std::size_t size() const { return pieces_.size(); }

 private:
  // A beginning of pieces, in a trie.
  struct Node {
    double score = 0;  // of the piece that ends here, if any
    std::uint32_t index = 0;
    bool ends = false;
  };
  static std::uint64_t edge(std::uint32_t node, char32_t symbol) {
    return std::uint64_t{node} << 32 | symbol;
  }

  std::vector<std::string> pieces_;
  std::vector<std::size_t> lengths_;  // UTF-16 units
  std::vector<Node> nodes_{1};
  std::unordered_map<std::uint64_t, std::uint32_t> next_;  // node by edge
};

}  // namespace tern::use
