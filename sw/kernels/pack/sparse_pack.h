// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/kernels/builder/tensor/products.h"
#include "sw/numerics/dtype.h"

namespace tern::kernels {

// Keeps the M largest magnitudes of every N consecutive rows of each column and clears the others;
// of equal ones the first. A NaN counts as the largest. values: [k, columns], row major.
void prune(std::vector<float>* values, std::size_t k, std::size_t columns, Sparsity sparsity);

struct SparsePacked {
  std::size_t rows = 0, columns = 0;  // M rows per group of N
  std::size_t tag_pitch = 0;          // bytes of tags per row: 2 * ceil(columns / 4)
  std::vector<std::uint16_t> values;  // [rows, columns], kept elements in increasing k
  std::vector<std::uint8_t> tags;     // [rows, tag_pitch]: words of four positions, first lowest
};

// values: [k, columns] with at most M values that are not zero among every N rows; otherwise a
// UserError names the first row and column beyond that. dtype: bf16 or fp16.
SparsePacked pack_sparse(const std::vector<float>& values, std::size_t k, std::size_t columns,
                         Sparsity sparsity, numerics::DType dtype);

}  // namespace tern::kernels
