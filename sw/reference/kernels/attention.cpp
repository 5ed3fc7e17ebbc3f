// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/kernels/attention.h"

#include <algorithm>
#include <cmath>

#include "sw/base/stop.h"

namespace tern::reference {

Values attention(const Inputs& q, const Inputs& k, const Inputs& v, const Attention& shape) {
  const std::size_t d = shape.d;
  Values out(shape.heads * shape.queries * d), scores(shape.keys);
  for (std::size_t head = 0; head < shape.heads; ++head) {
    for (std::size_t query = 0; query < shape.queries; ++query) {
      base::end_if_requested();
      const std::size_t visible =
          shape.causal ? query + shape.keys - shape.queries + 1 : shape.keys;
      std::fill(scores.begin(), scores.end(), 0.0);
      for (std::size_t i = 0; i < d; ++i) {
        const double element = q[(head * d + i) * shape.queries + query];
        const float* row = &k[(head * d + i) * shape.keys];
        for (std::size_t key = 0; key < visible; ++key) scores[key] += element * row[key];
      }
      const double most = *std::max_element(scores.begin(), scores.begin() + visible);
      double sum = 0;
      double* result = &out[(head * shape.queries + query) * d];
      for (std::size_t key = 0; key < visible; ++key) {
        const double weight = std::exp(shape.scale * (scores[key] - most));
        const float* row = &v[(head * shape.keys + key) * d];
        sum += weight;
        for (std::size_t i = 0; i < d; ++i) result[i] += weight * row[i];
      }
      for (std::size_t i = 0; i < d; ++i) result[i] /= sum;
    }
  }
  return out;
}

}  // namespace tern::reference
