// SPDX-License-Identifier: Apache-2.0
#include "sw/reference/kernels/rows.h"

#include <algorithm>
#include <cmath>

namespace tern::reference {

Values reduce_rows(const Inputs& x, std::size_t rows, std::size_t columns, Reduction reduction) {
  Values out(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0, largest = x[r * columns], smallest = x[r * columns];
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = x[r * columns + c];
      sum += value;
      largest = std::max(largest, value);
      smallest = std::min(smallest, value);
    }
    switch (reduction) {
      case Reduction::kSum:
        out[r] = sum;
        break;
      case Reduction::kMean:
        out[r] = sum / static_cast<double>(columns);
        break;
      case Reduction::kMax:
        out[r] = largest;
        break;
      case Reduction::kMin:
        out[r] = smallest;
        break;
    }
  }
  return out;
}

Values rotary(const Inputs& x, std::size_t rows, std::size_t heads, std::size_t half, double base) {
  Values out(x.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t at = (r * heads + h) * 2 * half;
      for (std::size_t i = 0; i < half; ++i) {
        const double angle = static_cast<double>(r) *
                             std::pow(base, -static_cast<double>(i) / static_cast<double>(half));
        const double a = x[at + i], b = x[at + half + i];
        out[at + i] = a * std::cos(angle) - b * std::sin(angle);
        out[at + half + i] = b * std::cos(angle) + a * std::sin(angle);
      }
    }
  }
  return out;
}

Values embedding(const Inputs& indices, const Inputs& table, std::size_t columns) {
  Values out;
  out.reserve(indices.size() * columns);
  for (const float index : indices) {
    const auto row = static_cast<std::size_t>(index);
    for (std::size_t c = 0; c < columns; ++c) out.push_back(table[row * columns + c]);
  }
  return out;
}

CrossEntropy cross_entropy(const Inputs& logits, const Inputs& targets, std::size_t classes) {
  CrossEntropy result;
  for (std::size_t r = 0; r < targets.size(); ++r) {
    const float* row = logits.data() + r * classes;
    const double largest = *std::max_element(row, row + classes);
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += std::exp(row[c] - largest);
    const auto target = static_cast<std::size_t>(targets[r]);
    result.loss.push_back(std::log(sum) + largest - row[target]);
    for (std::size_t c = 0; c < classes; ++c) {
      result.gradient.push_back(std::exp(row[c] - largest) / sum - (c == target ? 1.0 : 0.0));
    }
  }
  return result;
}

}  // namespace tern::reference
