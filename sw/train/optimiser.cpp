// SPDX-License-Identifier: Apache-2.0
#include "sw/train/optimiser.h"

#include <cmath>
#include <utility>

namespace tern::train {

using kernels::Rounding;
using layers::Activation;
using layers::Alu;

namespace {

// Columns of the tensor "hyper". SGD: minus the learning rate.
constexpr std::uint32_t kMinusRate = 0;   // for adamw: divided by 1 - beta1^step
constexpr std::uint32_t kCorrection = 1;  // 1 / (1 - beta2^step)
constexpr std::uint32_t kKeep = 2;        // 1 - rate * weight decay

}  // namespace

std::vector<float> hyper_of(const OptimiserRules& rules, std::uint64_t step, double learning_rate) {
  std::vector<float> hyper(kHyperColumns, 0.0f);
  if (rules.optimiser == Optimiser::kSgd) {
    hyper[kMinusRate] = static_cast<float>(-learning_rate);
    return hyper;
  }
  const auto left = [&](float beta) {
    return 1 - std::pow(static_cast<double>(beta), static_cast<double>(step));
  };
  hyper[kMinusRate] = static_cast<float>(-learning_rate / left(rules.beta1));
  hyper[kCorrection] = static_cast<float>(1 / left(rules.beta2));
  hyper[kKeep] = static_cast<float>(1 - learning_rate * static_cast<double>(rules.weight_decay));
  return hyper;
}

std::vector<StateTensor> moments_of(const StateTensor& parameter, const OptimiserRules& rules) {
  const auto moment = [&](const char* kind) {
    return StateTensor{kind + parameter.name, DType::kFp32, parameter.rows, parameter.columns};
  };
  if (rules.optimiser == Optimiser::kSgd) return {moment("m.")};
  return {moment("m."), moment("v.")};
}

Updates::Updates(Layers& layers, const OptimiserRules& rules, Matrix hyper,
                 Network::Observer observe)
    : l_(layers), rules_(rules), hyper_(std::move(hyper)), observe_(std::move(observe)) {}

void Updates::apply(const StateTensor& tensor, const StateMatrix& parameter, const Matrix& gradient,
                    const std::optional<StateTensor>& mask) {
  const Matrix value = parameter.stored();
  change(tensor, value, tensor.rows == 1 ? gradient.part_rows(0, 1) : gradient);
  if (mask) {
    const StateMatrix kept(l_, *mask);
    l_.combine(value, value, Alu::kMultiply, kept.value());
  }
  observe_("new " + tensor.name, value);
  parameter.store(l_);
}

void Updates::change(const StateTensor& tensor, const Matrix& value, const Matrix& gradient) {
  if (rules_.optimiser == Optimiser::kSgd) {
    sgd(tensor, value, gradient);
  } else {
    adamw(tensor, value, gradient);
  }
}

StateMatrix Updates::moment(const char* kind, const StateTensor& tensor) {
  return {
      l_, {kind + tensor.name, DType::kFp32, tensor.rows, tensor.columns}, StateMatrix::Rows::kOne};
}

// m = momentum m + g; w = w - rate m.
void Updates::sgd(const StateTensor& tensor, const Matrix& value, const Matrix& gradient) {
  const StateMatrix m = moment("m.", tensor);
  l_.scale_combine(m.value(), m.value(), rules_.momentum, Alu::kAdd, gradient);
  observe_("momentum of " + tensor.name, m.value());
  m.store(l_);
  const bool rounds = value.dtype != DType::kFp32;
  if (rounds) l_.builder().element_rounding(Rounding::kStochastic);
  l_.scale_combine(value, m.value(), hyper(kMinusRate), Alu::kAdd, value);
  l_.builder().element_rounding(Rounding::kNearest);
}

// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g g;
// w = (1 - rate decay) w - rate m' / (sqrt(v') + epsilon), with m', v' corrected for their start.
void Updates::adamw(const StateTensor& tensor, const Matrix& value, const Matrix& gradient) {
  const StateMatrix m = moment("m.", tensor), v = moment("v.", tensor);
  const Matrix by = l_.make(gradient.rows, gradient.columns, DType::kFp32);
  l_.scale(by, gradient, 1 - rules_.beta1);
  l_.scale_combine(m.value(), m.value(), rules_.beta1, Alu::kAdd, by);
  observe_("first moment of " + tensor.name, m.value());
  l_.scale_combine(by, gradient, 1 - rules_.beta2, Alu::kMultiply, gradient);
  l_.scale_combine(v.value(), v.value(), rules_.beta2, Alu::kAdd, by);
  observe_("second moment of " + tensor.name, v.value());
  m.store(l_);
  v.store(l_);
  l_.activate(by, Activation::kSqrt, v.value(), hyper(kCorrection));
  l_.shift(by, by, rules_.epsilon);
  l_.reciprocal(by, by);
  l_.scale_combine(by, by, hyper(kMinusRate), Alu::kMultiply, m.value());
  const bool rounds = value.dtype != DType::kFp32;
  if (rounds) l_.builder().element_rounding(Rounding::kStochastic);
  l_.scale_combine(value, value, hyper(kKeep), Alu::kAdd, by);
  l_.builder().element_rounding(Rounding::kNearest);
}

}  // namespace tern::train
