// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tern::tb {

// A decoder of characters on the host in FP64 with plain loops, window by window. It has vectors of
// characters and positions, blocks of norm, causal attention, norm, gelu layer with residuals, a
// last norm and logits; cross-entropy; AdamW. Written from the formulas; shares no code with what
// runs on the chip.
class HostTransformer {
 public:
  struct Sizes {
    std::size_t alphabet = 0, context = 0, width = 0, heads = 0, blocks = 0, hidden = 0;
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
  // The same; sets the gradients.
  double backward(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& next);
  // AdamW with these gradients.
  void update(const Rules& rules, double rate);
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
  };

  double window(const std::int32_t* x, const std::int32_t* next, double share, bool back);
  Values dense(const std::string& name, const Values& x, std::size_t in, std::size_t out);
  Values dense_back(const std::string& name, const Values& x, const Values& error, std::size_t in,
                    std::size_t out);
  Values norm(const std::string& name, const Values& x, Normal* kept);
  Values norm_back(const std::string& name, const Normal& kept, const Values& error);
  void attention(Block* block) const;
  Values attention_back(const Block& block, const Values& error) const;

  const Sizes sizes_;
  Values logits_;
  unsigned steps_ = 0;
};

}  // namespace tern::tb
