// SPDX-License-Identifier: Apache-2.0
#include "sw/train/parameters.h"

#include <stdexcept>
#include <utility>

namespace tern::train {

Parameter Parameters::load(const std::string& name) const {
  for (const StateTensor& tensor : tensors_) {
    if (tensor.name != name) continue;
    Parameter parameter{tensor, StateMatrix(l_, tensor)};
    observe_(name, parameter.matrix.value());
    return parameter;
  }
  throw std::logic_error("no parameter " + name);
}

Dense::Dense(std::shared_ptr<const Parameters> parameters, std::string name)
    : parameters_(std::move(parameters)),
      name_(std::move(name)),
      weight_(parameters_->load(name_ + ".w")),
      bias_(parameters_->load(name_ + ".b")),
      operand_(parameters_->as_operand(weight_.matrix.value())) {}

Matrix Dense::forward(const Matrix& in, DType dtype, const Matrix* residual) {
  Layers& l = parameters_->layers();
  input_ = in;
  layers::Epilogue epilogue;
  epilogue.bias_row = &bias();
  epilogue.residual = residual;
  Matrix out = l.product(dtype, l.transpose(in), operand_, epilogue);
  parameters_->observe("result of " + name_, out);
  return out;
}

Matrix Dense::forward_part(const Matrix& in) {
  Layers& l = parameters_->layers();
  input_ = in;
  return l.product(DType::kFp32, l.transpose(in), operand_);
}

// input^T error and the error's sums are the gradients, error weight^T is propagated.
Matrix Dense::backward(const Matrix& error, DType dtype, const Update& update,
                       const std::function<void(const Matrix&)>& sum) const {
  Layers& l = parameters_->layers();
  const Matrix weight = l.product(DType::kFp32, input_, error);
  const Matrix bias = l.column_sums(error);
  parameters_->observe("gradient of " + weight_.tensor.name, weight);
  parameters_->observe("gradient of " + bias_.tensor.name, bias);
  Matrix result = l.product(dtype, l.transpose(error), l.transpose(operand_));
  if (sum) sum(result);
  parameters_->observe("gradient in front of " + name_, result);
  update(weight_.tensor, weight_.matrix, weight);
  update(bias_.tensor, bias_.matrix, bias);
  return result;
}

}  // namespace tern::train
