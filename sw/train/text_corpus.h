// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/train/batches.h"

namespace tern::train {

// Entropies of a text in nats per character: of its characters alone, and of each where the
// one before it is known.
struct TextEntropy {
  double unigram = 0, bigram = 0;
};

// A text as numbers of characters of a small alphabet, in two parts: one to learn from, then one
// that is held out. Capital letters become small ones if the alphabet lacks them, typographic
// quotes and dashes plain ones, white space of any length one blank. Characters that are still not
// in the alphabet are omitted.
class TextCorpus {
 public:
  // `alphabet`: different ASCII characters, at least two. UserErrors begin with `name`.
  TextCorpus(const std::string& name, const std::string& text, const std::string& alphabet,
             double held_out);

  const std::string& alphabet() const { return alphabet_; }
  std::uint64_t characters() const { return codes_.size(); }
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t training() const { return training_; }  // characters
  std::uint64_t held_out() const { return codes_.size() - training_; }

  // Consecutive windows of `context` characters, each with its successors.
  std::uint64_t training_windows(std::uint32_t context) const;
  std::uint64_t held_out_windows(std::uint32_t context) const;
  // `windows` counts those of the training part, then those held out.
  Batch batch(const std::vector<std::uint32_t>& windows, std::uint32_t context) const;

  TextEntropy entropy() const;  // of the part to learn from
  // As numbers, folded like the text; and back.
  std::vector<std::int32_t> encode(const std::string& text) const;
  std::string decode(const std::vector<std::int32_t>& codes) const;

 private:
  std::string alphabet_;
  std::vector<std::uint8_t> codes_;
  std::uint64_t training_ = 0, left_out_ = 0;
};

}  // namespace tern::train
