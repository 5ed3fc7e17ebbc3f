// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/kernels/transformer_mlp.h"

#include <cmath>
#include <utility>

#include "sw/base/stop.h"

namespace tern::reference {

double mlp_function(MlpFunction function, double x) {
  switch (function) {
    case MlpFunction::kRelu:
      return x > 0 ? x : 0;
    case MlpFunction::kGelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case MlpFunction::kSilu:
      return x / (1 + std::exp(-x));
  }
  return x;
}

namespace {

// [columns of w, tokens] = w^T x
Values product(const Inputs& w, std::size_t rows, std::size_t columns, const Values& x,
               std::size_t tokens) {
  Values out(columns * tokens);
  for (std::size_t r = 0; r < rows; ++r) {
    base::end_if_requested();
    for (std::size_t c = 0; c < columns; ++c) {
      const double weight = w[r * columns + c];
      for (std::size_t t = 0; t < tokens; ++t) out[c * tokens + t] += weight * x[r * tokens + t];
    }
  }
  return out;
}

}  // namespace

TransformerMlpResult transformer_mlp(const Inputs& x, const TransformerMlp& mlp) {
  const Values in(x.begin(), x.end());
  Values hidden = product(*mlp.w1, mlp.model, mlp.hidden, in, mlp.tokens);
  for (std::size_t i = 0; i < hidden.size(); ++i)
    hidden[i] = mlp_function(mlp.function, hidden[i] + (*mlp.b1)[i / mlp.tokens]);
  if (mlp.gate != nullptr) {
    const Values gate = product(*mlp.gate, mlp.model, mlp.hidden, in, mlp.tokens);
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] *= gate[i];
  }
  Values out = product(*mlp.w2, mlp.hidden, mlp.model, hidden, mlp.tokens);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += (*mlp.b2)[i / mlp.tokens];
  return {std::move(hidden), std::move(out)};
}

}  // namespace tern::reference
