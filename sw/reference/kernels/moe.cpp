// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/kernels/moe.h"

#include <algorithm>
#include <cmath>

#include "sw/base/stop.h"

namespace tern::reference {

MoeLogits moe_logits(const Moe& moe) {
  MoeLogits logits;
  for (std::size_t t = 0; t < moe.tokens; ++t) {
    base::end_if_requested();
    for (std::size_t e = 0; e < moe.experts; ++e) {
      const double bias = (*moe.gate_bias)[e];
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < moe.width; ++i) {
        const double product = static_cast<double>((*moe.x)[t * moe.width + i]) *
                               (*moe.gate_weight)[i * moe.experts + e];
        sum += product;
        size += std::fabs(product);
      }
      logits.values.push_back(sum + bias);
      logits.products = std::max(logits.products, size);
      logits.largest = std::max(logits.largest, std::fabs(sum) + std::fabs(bias));
    }
  }
  return logits;
}

Values moe_weights(const double* logits, const std::vector<std::size_t>& experts) {
  double most = -INFINITY, sum = 0;
  for (const std::size_t e : experts) most = std::max(most, logits[e]);
  Values weights;
  for (const std::size_t e : experts) weights.push_back(std::exp(logits[e] - most));
  for (const double w : weights) sum += w;
  for (double& w : weights) w /= sum;
  return weights;
}

Values moe_token(const Moe& moe, std::size_t token, const std::vector<std::size_t>& experts,
                 const Values& weights, double* hidden_norm) {
  Values out(moe.width), hidden(moe.hidden), y(moe.width);
  for (std::size_t n = 0; n < experts.size(); ++n) {
    base::end_if_requested();
    const float* w1 = moe.w1->data() + experts[n] * moe.width * moe.hidden;
    const float* w2 = moe.w2->data() + experts[n] * moe.hidden * moe.width;
    std::fill(hidden.begin(), hidden.end(), 0.0);
    std::fill(y.begin(), y.end(), 0.0);
    for (std::size_t i = 0; i < moe.width; ++i) {
      const double x = (*moe.x)[token * moe.width + i];
      for (std::size_t h = 0; h < moe.hidden; ++h) hidden[h] += x * w1[i * moe.hidden + h];
    }
    double squares = 0;
    for (std::size_t h = 0; h < moe.hidden; ++h) {
      const double value = mlp_function(moe.function, hidden[h]);
      squares += value * value;
      for (std::size_t i = 0; i < moe.width; ++i) y[i] += value * w2[h * moe.width + i];
    }
    *hidden_norm = std::max(*hidden_norm, std::sqrt(squares));
    for (std::size_t i = 0; i < moe.width; ++i) out[i] += weights[n] * y[i];
  }
  return out;
}

}  // namespace tern::reference
