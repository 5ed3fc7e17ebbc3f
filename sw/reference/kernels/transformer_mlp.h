// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/reference/kernels/shapes.h"

namespace tern::reference {

enum class MlpFunction { kRelu, kGelu, kSilu };
double mlp_function(MlpFunction function, double x);

// x [model, tokens], w1 and gate [model, hidden], w2 [hidden, model] -> [model, tokens]:
// W2^T (f(W1^T x + b1)), times (gate^T x) if there is a gate, + b2.
struct TransformerMlp {
  std::size_t model = 0, hidden = 0, tokens = 0;
  MlpFunction function = MlpFunction::kGelu;
  const Inputs *w1 = nullptr, *b1 = nullptr, *gate = nullptr, *w2 = nullptr, *b2 = nullptr;
};
struct TransformerMlpResult {
  Values hidden, out;  // [hidden, tokens], [model, tokens]
};
TransformerMlpResult transformer_mlp(const Inputs& x, const TransformerMlp& mlp);

}  // namespace tern::reference
