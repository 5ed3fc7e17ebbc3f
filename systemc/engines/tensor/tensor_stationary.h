// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/base/aligned_vector.h"
#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern {

// What one LoadStationary brought, decoded for the array that multiplies with it.
struct TensorStationary {
  TensorCommand command;

  // Array A: [lane / 8][row][lane % 8], zero beyond the tile's columns.
  AlignedVector<float> weights;
  // Sparse: the row of the moving panel that each weight meets, in the same order.
  AlignedVector<std::uint32_t> partners;

  // Array X: [block][lane / 8][item][lane % 8] and [block][lane], see block_array.h.
  AlignedVector<double> elements;
  AlignedVector<double> finite;                  // with zeros for NaN and infinity
  std::array<AlignedVector<double>, 3> classes;  // E5M2: finite, apart by magnitude
  AlignedVector<double> scales;
  bool specials = false;  // a NaN or an infinity is among the elements
};

}  // namespace tern
