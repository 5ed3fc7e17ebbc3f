// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/reference/kernels/shapes.h"

namespace tern::reference {

// q [heads, d, queries], k [heads, d, keys], v [heads, keys, d] -> [heads, queries, d]:
// softmax(scale * Q K^T) V. Causal: query i uses the keys 0 .. i + keys - queries.
struct Attention {
  std::size_t heads = 0, queries = 0, keys = 0, d = 0;
  bool causal = false;
  double scale = 1;
};
Values attention(const Inputs& q, const Inputs& k, const Inputs& v, const Attention& shape);

}  // namespace tern::reference
