// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/train/expert_exchange.h"
#include "sw/train/parameters.h"
#include "sw/train/transformer_training.h"

namespace tern::train {

// A mixture of experts in the place of a block's gelu layer (Switch Transformer): the router's
// softmax chooses an expert for each character, and weighs its result with its probability. Of each
// slab an expert takes the first characters that fill its slots; the others get zero. Copies have
// the same weights, and keep inputs of their own.
class Experts {
 public:
  // `block`: "b0.". `exchange` must outlive it and its copies.
  Experts(std::shared_ptr<const Parameters> parameters, const TransformerSpec& spec,
          ExpertExchange& exchange, const std::string& block);

  // in [tokens, width], an operand; the result plus the residual, FP32.
  Matrix forward(const Matrix& in, const Matrix& residual);
  // From the gradient of the result that in front of it; both FP32.
  Matrix backward(const Matrix& gradient, const Update& update) const;

 private:
  struct Expert {
    Dense up, down;
    Matrix sums;  // before gelu
  };
  void route(const Matrix& in);
  void choose(const Matrix& logits);
  // Which of all experts' slots each character has: [tokens, experts * slots].
  Matrix slots() const;
  // The characters' vectors in their slots, slab by slab; and back, the rest zero.
  std::vector<Matrix> in_slots(const Matrix& vectors) const;
  void of_slots(const Matrix& dst, const std::vector<Matrix>& slabs,
                const Matrix* residual = nullptr) const;
  // Row by row: dst = src * factor [tokens, 1], or (src * factor) + more.
  void scale_rows(const Matrix& dst, const Matrix& src, const Matrix& factor,
                  const Matrix* more = nullptr) const;
  Matrix row_sums(const Matrix& matrix) const;
  Matrix router_gradient(const Matrix& gates) const;

  std::shared_ptr<const Parameters> parameters_;
  Layers& l_;
  const TransformerSpec spec_;
  ExpertExchange& exchange_;
  const std::string name_;
  Dense router_;
  std::vector<Expert> own_;
  Matrix before_;  // [128, 128]: 1 where a row is in front of a column
  // Of the last forward pass.
  Matrix probabilities_;               // [tokens, experts] fp32
  Matrix numbers_;                     // [tokens, 1] fp32: of the expert chosen
  Matrix chosen_;                      // [tokens, experts]: 1 for it
  Matrix gates_;                       // [tokens, 1] fp32: its probability
  Matrix slots_;                       // [tokens, experts * slots]: 1 in the character's one
  std::vector<Matrix> slots_by_slab_;  // the same, transposed
  Matrix results_;                     // [tokens, width] fp32, before the gates
};

}  // namespace tern::train
