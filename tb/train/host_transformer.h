// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tern::tb {

// A decoder of characters on the host in FP64 with plain loops, window by window. It has vectors of
// characters and positions, blocks of norm, causal attention, norm, gelu layer or a choice of them
// with residuals, a last norm and logits; cross-entropy; AdamW. Written from the formulas; shares
// no code with what runs on the chip.
class HostTransformer {
 public:
  struct Sizes {
    std::size_t alphabet = 0, context = 0, width = 0, heads = 0, blocks = 0, hidden = 0;
    // Gelu layers to choose from; an expert takes the first so many of `group` characters.
    std::size_t experts = 1, slots = 128, group = 128;
    double balance = 0;
  };
  struct Parameter {
    std::vector<double> value, gradient, m, v;
  };
  struct Rules {
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  };

  explicit HostTransformer(const Sizes& sizes) : sizes_(sizes) {}

  // Mean loss of whole windows: each character's successor.
  double loss(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& next);
  // The same; sets the gradients, those of the balance of experts included.
  double backward(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& next);
  // AdamW with these gradients.
  void update(const Rules& rules, double rate);
  // Characters that found no slot in the last step or loss, of all blocks.
  std::size_t left_out() const { return left_out_; }
  // What the balance adds to the loss of these windows.
  double imbalance(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& next);
  // Logits of the last step's or loss's last window, [context, alphabet].
  const std::vector<double>& logits() const { return logits_; }

  std::map<std::string, Parameter> parameters;  // by the names of sw/train/transformer_training.h

 private:
  using Values = std::vector<double>;
  struct Normal {
    Values values, deviations;
  };
  struct Block {
    Values x, h1, qkv, weights, heads, y, h2, sums, hidden;
    Normal norm1, norm2;
    // Of each character: probabilities of the experts, the one chosen, whether it has a slot, and
    // that expert's result.
    Values probabilities, results;
    std::vector<std::size_t> chosen;
    std::vector<bool> taken;
  };
  // How often each expert was chosen, of each block and group of characters.
  using Counts = std::vector<std::vector<std::vector<std::size_t>>>;

  double window(const std::int32_t* x, const std::int32_t* next, double share, bool back);
  void clear_counts(std::size_t characters);
  Values gelu_layer(const std::string& name, const Values& in, Block* block);
  Values gelu_layer_back(const std::string& name, const Block& block, const Values& in,
                         const Values& error);
  Values experts(std::size_t b, Block* block);
  Values experts_back(std::size_t b, const Block& block, const Values& error);
  Values dense(const std::string& name, const Values& x, std::size_t in, std::size_t out);
  Values dense_back(const std::string& name, const Values& x, const Values& error, std::size_t in,
                    std::size_t out);
  Values norm(const std::string& name, const Values& x, Normal* kept);
  Values norm_back(const std::string& name, const Normal& kept, const Values& error);
  void attention(Block* block) const;
  Values attention_back(const Block& block, const Values& error) const;

  const Sizes sizes_;
  Values logits_;
  std::size_t at_ = 0;  // the window's first character in the batch
  std::size_t characters_ = 0, left_out_ = 0;
  std::vector<Values> probabilities_of_all_;  // of each block, for imbalance()
  Counts counts_;                             // of all characters of the batch
  Counts so_far_;                             // of those up to the window
  unsigned steps_ = 0;
};

}  // namespace tern::tb
