// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/pack/sparse_pack.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sw/base/user_error.h"
#include "sw/kernels/pack/matrix_check.h"
#include "sw/numerics/bf16.h"
#include "sw/numerics/fp16.h"

namespace tern::kernels {

namespace {

using numerics::DType;

// Ordered like the magnitudes, NaN above all.
std::uint32_t magnitude(float value) {
  return numerics::bits_of(value) & 0x7FFFFFFF;
}

// The positions of a group that are kept: all that are not zero, padded with the first zeros.
// `values` ends with the matrix, so a group may have fewer than N rows; the rest is zero.
std::vector<unsigned> positions_of(const std::vector<float>& values, std::size_t first_row,
                                   std::size_t k, std::size_t columns, std::size_t column,
                                   Sparsity sparsity) {
  const unsigned m = kept(sparsity), n = group(sparsity);
  std::vector<unsigned> used, zeros;
  for (unsigned position = 0; position < n; ++position) {
    const std::size_t row = first_row + position;
    const bool zero = row >= k || magnitude(values[row * columns + column]) == 0;
    (zero ? zeros : used).push_back(position);
    if (used.size() > m) {
      throw UserError("pack_sparse: row " + std::to_string(row) + ", column " +
                      std::to_string(column) + ": more than " + std::to_string(m) +
                      " values that are not zero in rows " + std::to_string(first_row) + ".." +
                      std::to_string(first_row + n - 1) + ", the pattern " + std::to_string(m) +
                      ":" + std::to_string(n) + " keeps " + std::to_string(m));
    }
  }
  used.insert(used.end(), zeros.begin(),
              zeros.begin() + static_cast<std::ptrdiff_t>(m - used.size()));
  std::sort(used.begin(), used.end());
  return used;
}

}  // namespace

void prune(std::vector<float>* values, std::size_t k, std::size_t columns, Sparsity sparsity) {
  check_matrix("prune", values->size(), k, columns);
  const std::size_t m = kept(sparsity), n = group(sparsity);
  std::vector<std::size_t> order;
  for (std::size_t first = 0; first < k; first += n) {
    const std::size_t count = std::min(n, k - first);
    if (count <= m) continue;
    for (std::size_t column = 0; column < columns; ++column) {
      float* group = values->data() + first * columns + column;
      order.resize(count);
      for (std::size_t i = 0; i < count; ++i) order[i] = i;
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return magnitude(group[a * columns]) > magnitude(group[b * columns]);
      });
      for (std::size_t i = m; i < count; ++i) group[order[i] * columns] = 0.0f;
    }
  }
}

SparsePacked pack_sparse(const std::vector<float>& values, std::size_t k, std::size_t columns,
                         Sparsity sparsity, DType dtype) {
  if (dtype != DType::kBf16 && dtype != DType::kFp16) {
    throw UserError("pack_sparse: expected bf16 or fp16, got " +
                    std::string(numerics::dtype_name(dtype)));
  }
  check_matrix("pack_sparse", values.size(), k, columns);
  const std::size_t m = kept(sparsity), n = group(sparsity);
  SparsePacked packed;
  packed.rows = (k + n - 1) / n * m;
  packed.columns = columns;
  packed.tag_pitch = 2 * ((columns + 3) / 4);
  packed.values.resize(packed.rows * columns);
  packed.tags.resize(packed.rows * packed.tag_pitch);
  for (std::size_t first = 0; first < k; first += n) {
    for (std::size_t column = 0; column < columns; ++column) {
      const auto positions = positions_of(values, first, k, columns, column, sparsity);
      for (std::size_t slot = 0; slot < m; ++slot) {
        const std::size_t row = first / n * m + slot, source = first + positions[slot];
        const float value = source < k ? values[source * columns + column] : 0.0f;
        packed.values[row * columns + column] = dtype == DType::kFp16
                                                    ? numerics::fp16_from_float(value)
                                                    : numerics::bf16_from_float(value);
        packed.tags[row * packed.tag_pitch + column / 2] |=
            static_cast<std::uint8_t>(positions[slot] << (4 * (column % 2)));
      }
    }
  }
  return packed;
}

}  // namespace tern::kernels
