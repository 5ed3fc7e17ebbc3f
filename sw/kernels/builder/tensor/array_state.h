// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sw/kernels/builder/tensor/products.h"

namespace tern::kernels {

// Which stationary is where in the tensor engine's two arrays, as a program is written: a moving
// operand must meet the one of its own tile, mode and format class.
class ArrayState {
 public:
  struct Stationary {
    TensorOperand operand;
    ArrayTile tile;
  };

  void load(const TensorOperand& stationary, const ArrayTile& tile);
  // The stationary that `moving` meets on `tile`; without one, nullptr and the reason. It counts as
  // used: a transpose no longer displaces it.
  std::shared_ptr<const Stationary> take(const TensorOperand& moving, const ArrayTile& tile,
                                         std::string* reason);
  // A transpose passes through the shadow weights: stationaries waiting there are lost.
  void transpose();

 private:
  static constexpr unsigned kGroups = 4;  // of rows and of columns
  struct Cell {
    std::shared_ptr<const Stationary> stationary;
    bool taken = false;
  };
  struct Span {
    unsigned begin, end;
  };
  static Span row_groups(const ArrayTile& tile);
  template <typename Visit>
  void for_cells(const ArrayTile& tile, Visit visit);

  std::array<std::array<Cell, kGroups>, kGroups> cells_;
  // The array of the 8-bit formats: tiles of rows only.
  std::array<std::shared_ptr<const Stationary>, kGroups> mx_;
};

}  // namespace tern::kernels
