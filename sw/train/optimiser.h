// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sw/train/network.h"

namespace tern::train {

// Changes parameters by their gradients, and its state of earlier ones, all in place and stored
// back to HBM.
class Updates {
 public:
  // `hyper`: 128 equal rows of hyper_of().
  Updates(Layers& layers, const OptimiserRules& rules, Matrix hyper, Network::Observer observe);
  void apply(const StateTensor& tensor, const StateMatrix& parameter, const Matrix& gradient,
             const std::optional<StateTensor>& mask = {});
  // The value where it is, not stored; and its moments, which are.
  void change(const StateTensor& tensor, const Matrix& value, const Matrix& gradient);

 private:
  void sgd(const StateTensor& tensor, const Matrix& value, const Matrix& gradient);
  void adamw(const StateTensor& tensor, const Matrix& value, const Matrix& gradient);
  StateMatrix moment(const char* kind, const StateTensor& tensor);
  layers::TileView hyper(std::uint32_t column) const { return hyper_.block(0, column, 1); }

  Layers& l_;
  const OptimiserRules rules_;
  const Matrix hyper_;
  const Network::Observer observe_;
};

}  // namespace tern::train
