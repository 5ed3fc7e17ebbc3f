// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tern {

// A dense BF16 product: chains over the rows, lowest first, for every lane and column.
struct ChainProduct {
  std::size_t rows = 0, lanes = 0, columns = 0;
  const std::uint16_t* weights = nullptr;  // [row][lane]
  const std::uint16_t* moving = nullptr;   // [row][column]
  float* psum = nullptr;                   // [lane * pitch + column]
  std::size_t pitch = 0;
  bool accumulate = false;  // round(psum + y) instead of y
};

// What computes the dense BF16 products of a TensorModel in its place, such as an array on a board.
class ChainDevice {
 public:
  virtual ~ChainDevice() = default;
  virtual void multiply(const ChainProduct& product) = 0;
};

}  // namespace tern
