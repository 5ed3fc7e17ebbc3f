// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace tern::tb {

// Rows for the instructions that search: few different values, so that many are equal, and the
// special ones.
inline std::vector<float> row_with_equals(std::mt19937_64& random, std::size_t count) {
  std::vector<float> row(count);
  for (float& value : row) {
    switch (random() % 16) {
      case 0:
        value = -0.0f;
        break;
      case 1:
        value = 0.0f;
        break;
      case 2:
        value = random() % 8 == 0 ? NAN : INFINITY;
        break;
      default:
        value = static_cast<float>(static_cast<int>(random() % 64) - 32) / 4;
    }
  }
  return row;
}

// The value as it counts in a descending search: NaN first, +0 before -0.
inline double rank(float value) {
  if (std::isnan(value)) return 1e300;
  if (std::isinf(value)) return value > 0 ? 1e290 : -1e290;
  return value == 0 ? (std::signbit(value) ? 0.0 : 1e-300) : static_cast<double>(value);
}

}  // namespace tern::tb
