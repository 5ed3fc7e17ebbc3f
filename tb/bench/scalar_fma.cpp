// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/scalar_fma.h"

#include <cmath>

namespace tern::bench {

void scalar_fma_chains(const float* a, const float* w, float* y, std::size_t columns,
                       std::size_t lanes, std::size_t rows) {
  for (std::size_t n = 0; n < columns; ++n) {
    for (std::size_t m = 0; m < lanes; ++m) {
      float acc = 0.0f;
      for (std::size_t k = 0; k < rows; ++k) {
        acc = std::fmaf(a[n * rows + k], w[m * rows + k], acc);
      }
      y[n * lanes + m] = acc;
    }
  }
}

}  // namespace tern::bench
