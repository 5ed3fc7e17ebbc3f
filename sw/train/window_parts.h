// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/layers/layers.h"
#include "sw/train/share.h"

namespace tern::train {

using layers::DType;
using layers::Layers;
using layers::Matrix;

// What ranks with parts of the same windows tell each other. A character attends to those of its
// own part and of the parts before: each rank gets their keys and values, and gives back what it
// adds to their gradients.
class WindowParts {
 public:
  // `name`: of the buffers in HBM, which all ranks have alike; each program has its own. The share
  // must outlive it.
  WindowParts(Layers& layers, const Share& share, std::string name)
      : l_(layers), share_(share), name_(std::move(name)) {}

  // Of all parts up to the rank's own, which is the last one. In the same order on all ranks.
  std::vector<Matrix> gather(const Matrix& own);
  // From FP32 gradients of these the rank's own, summed over the ranks.
  Matrix scatter(const std::vector<Matrix>& gradients);

 private:
  kernels::Tensor buffer(const char* what, const Matrix& part);
  void collective(const collectives::Schedule& schedule, const kernels::Tensor& elements);

  Layers& l_;
  const Share& share_;
  const std::string name_;
  unsigned buffers_ = 0;
};

}  // namespace tern::train
