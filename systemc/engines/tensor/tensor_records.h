// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "sw/base/state_archive.h"
#include "systemc/engines/tensor/tensor_geometry.h"
#include "systemc/engines/tensor/tensor_stationary.h"

namespace tern {

// Which weights the cells of array A, and the row groups of array X, hold or are about to take.
class TensorRecords {
 public:
  using Stationary = std::shared_ptr<const TensorStationary>;

  // A LoadStationary was taken; a MultiplyMoving; a Transpose, which needs the shadow weights and
  // so loses those that no multiply has taken yet.
  void load(const TensorShape& shape, Stationary stationary);
  void multiply(const TensorShape& shape, const TensorCommand& move);
  void transpose();
  // Any command that was taken, without the data of weights.
  void accepted(const TensorShape& shape, const TensorCommand& command);

  // The weights a MultiplyMoving works with; null if its cells do not hold one stationary of its
  // shape and kind.
  Stationary find(const TensorShape& shape, const TensorCommand& move) const;

  // For a snapshot. contents: the data of weights, of which the command is known.
  using Contents = std::function<void(TensorStationary* stationary)>;
  void archive_state(base::StateArchive& archive, const TensorShape& shape,
                     const Contents& contents = {});

 private:
  struct Cell {
    Stationary stationary;
    bool pending = false;  // loaded, not yet taken by a multiply
  };
  std::array<Cell, TensorCells::kGrid * TensorCells::kGrid> cells_;
  std::array<Stationary, TensorCells::kGrid> mx_;
};

}  // namespace tern
