// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tern::bench {

// The baseline of the RTL benchmark: y[n][m] = chain of fmaf over k of a[n][k] * w[m][k], one
// result at a time, compiled without vectorisation.
void scalar_fma_chains(const float* a, const float* w, float* y, std::size_t columns,
                       std::size_t lanes, std::size_t rows);

}  // namespace tern::bench
