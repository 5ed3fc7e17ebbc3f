// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tb/tensor/top/bench/test_sbuf.h"
#include "tb/tensor/top/oracle/reference_element.h"

namespace tern::tb {

// M of N consecutive k are kept.
struct Pattern {
  unsigned kept, of;
  unsigned planes() const { return of / kept; }
};
Pattern pattern_of(TensorSparsity sparsity);

// Byte offset of an operand's column n from its start.
std::int64_t pattern_offset(const TensorCommand& command, unsigned n, unsigned element_bytes);

// Weights as a LoadStationary found them in SBUF.
struct Stationary {
  TensorCommand command;
  std::vector<float> weights;       // dense, sparse: [row][col]
  std::vector<unsigned> positions;  // sparse: [row][col], `of` or more: contributes nothing
  std::vector<Fixed> elements;      // array X: [row][col][slot], double row: slots 0 and 1
  std::vector<unsigned> scales;     // mx, quad: [row / 8][col]
  bool bad_tag = false;
};
Stationary read_stationary(const TestSbuf& sbuf, const TensorCommand& load);

// Column n of the product: M sums, in quad mode those of slot `slot`.
std::vector<float> column_sums(const TestSbuf& sbuf, const Stationary& stationary,
                               const TensorCommand& move, unsigned n, unsigned slot);

}  // namespace tern::tb
