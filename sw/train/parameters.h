// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/train/network.h"

namespace tern::train {

// Gets a parameter with its gradient when no later operation needs the parameter.
using Update = std::function<void(const StateTensor& tensor, const StateMatrix& parameter,
                                  const Matrix& gradient)>;

struct Parameter {
  StateTensor tensor;
  StateMatrix matrix;
};

// The parameters that a rank has, loaded into SBUF by name, and what is done with all of them.
class Parameters {
 public:
  // `operand`: the format of operands of products; `observe` is called with every matrix by name.
  Parameters(Layers& layers, DType operand, std::vector<StateTensor> tensors,
             Network::Observer observe)
      : l_(layers), operand_(operand), tensors_(std::move(tensors)), observe_(std::move(observe)) {}

  Layers& layers() const { return l_; }
  DType operand() const { return operand_; }
  Parameter load(const std::string& name) const;
  Matrix as_operand(const Matrix& matrix) const {
    return matrix.dtype == operand_ ? matrix : l_.convert(operand_, matrix);
  }
  void observe(const std::string& what, const Matrix& matrix) const { observe_(what, matrix); }

 private:
  Layers& l_;
  const DType operand_;
  const std::vector<StateTensor> tensors_;
  const Network::Observer observe_;
};

// A fully connected layer, NAME.w [in, out] and NAME.b. A copy has the same weights, and keeps an
// input of its own.
class Dense {
 public:
  Dense(std::shared_ptr<const Parameters> parameters, std::string name);

  // in [tokens, in], which is kept; result [tokens, out].
  Matrix forward(const Matrix& in, DType dtype, const Matrix* residual = nullptr);
  // What ranks that divide the inputs add up, without the bias: FP32.
  Matrix forward_part(const Matrix& in);
  const Matrix& bias() const { return bias_.matrix.value(); }
  const std::string& name() const { return name_; }

  // The gradient in front of it. `sum` completes that of a layer whose columns ranks divide.
  Matrix backward(const Matrix& error, DType dtype, const Update& update,
                  const std::function<void(const Matrix&)>& sum = {}) const;

 private:
  std::shared_ptr<const Parameters> parameters_;
  std::string name_;
  Parameter weight_, bias_;
  Matrix operand_;  // the weight as an operand of products
  Matrix input_;
};

}  // namespace tern::train
