// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/reference/kernels/shapes.h"

// Kernels that work row by row on [rows, columns].
namespace tern::reference {

enum class Reduction { kSum, kMean, kMax, kMin };

// [rows]
Values reduce_rows(const Inputs& x, std::size_t rows, std::size_t columns, Reduction reduction);

// x [rows, heads, 2 * half]; row r rotates by angle r * base^(-i / half) in the plane of elements
// i and half + i.
Values rotary(const Inputs& x, std::size_t rows, std::size_t heads, std::size_t half, double base);

// Rows of table [vocabulary, columns].
Values embedding(const Inputs& indices, const Inputs& table, std::size_t columns);

struct CrossEntropy {
  Values loss;      // [rows]: log of the sum of exponentials, minus the logit of the target
  Values gradient;  // [rows, classes]: softmax minus one-hot target
};
CrossEntropy cross_entropy(const Inputs& logits, const Inputs& targets, std::size_t classes);

}  // namespace tern::reference
