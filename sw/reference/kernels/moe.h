// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/reference/kernels/shapes.h"
#include "sw/reference/kernels/transformer_mlp.h"

namespace tern::reference {

// x [tokens, width], gate_weight [width, experts], gate_bias [experts], w1 [experts, width,
// hidden], w2 [experts, hidden, width].
struct Moe {
  std::size_t tokens = 0, width = 0, hidden = 0, experts = 0, top_k = 0;
  MlpFunction function = MlpFunction::kGelu;
  const Inputs *x = nullptr, *gate_weight = nullptr, *gate_bias = nullptr, *w1 = nullptr,
               *w2 = nullptr;
};

struct MoeLogits {
  Values values;  // [tokens, experts]
  // The scale of rounding errors: the largest sum of |x w|, the largest |logit| or part of it.
  double products = 0, largest = 0;
};
MoeLogits moe_logits(const Moe& moe);

// Softmax of the logits of a token over the experts named.
Values moe_weights(const double* logits, const std::vector<std::size_t>& experts);

// Of one token, with its experts and their weights: [width]. `hidden_norm` becomes the longest
// hidden vector so far, if it is longer.
Values moe_token(const Moe& moe, std::size_t token, const std::vector<std::size_t>& experts,
                 const Values& weights, double* hidden_norm);

}  // namespace tern::reference
