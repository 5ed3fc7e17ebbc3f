// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sw/layers/layers.h"
#include "sw/train/mlp_training.h"

namespace tern::train {

using layers::Layers;
using layers::Matrix;

// A tensor of the state with its copy in SBUF. A row that is applied to all rows of a batch is 128
// equal rows there, unless only the optimiser needs it.
class StateMatrix {
 public:
  enum class Rows : std::uint8_t { kEqual, kOne };
  StateMatrix(Layers& layers, const StateTensor& tensor, Rows rows = Rows::kEqual);
  const Matrix& value() const { return value_; }
  // As many rows as the tensor has.
  Matrix stored() const { return tensor_.rows == 1 ? value_.part_rows(0, 1) : value_; }
  void store(Layers& layers) const;

 private:
  kernels::Tensor tensor_;
  Matrix value_;
};

// The weights in SBUF and the forward pass. Batch elements are on partitions; `observe` is called
// with every matrix by name.
class Network {
 public:
  using Observer = std::function<void(const std::string& what, const Matrix& matrix)>;
  struct Layer {
    StateMatrix weight, bias;
    Matrix operand;  // the weight as an operand of products
    Matrix input;    // [batch, in], after forward()
  };

  Network(Layers& layers, const MlpSpec& spec, Observer observe);
  // x [batch, features]; logits [batch, classes] in FP32.
  Matrix forward(const Matrix& x);
  const Layer& layer(std::size_t i) const { return layers_of_[i]; }

 private:
  Matrix forward(std::size_t index, const Matrix& in);

  Layers& l_;
  const MlpSpec& spec_;
  const Observer observe_;
  std::vector<Layer> layers_of_;
};

}  // namespace tern::train
