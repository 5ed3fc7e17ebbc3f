// SPDX-License-Identifier: Apache-2.0
#include "tb/train/host_trainer.h"

#include <algorithm>
#include <cmath>

namespace tern::tb {

HostTrainer::HostTrainer(const std::vector<std::uint32_t>& sizes, const Rules& rules)
    : rules_(rules) {
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    Layer layer;
    layer.in = sizes[i];
    layer.out = sizes[i + 1];
    for (auto* part : {&layer.weight, &layer.weight_gradient, &layer.weight_m, &layer.weight_v})
      part->resize(layer.in * layer.out);
    for (auto* part : {&layer.bias, &layer.bias_gradient, &layer.bias_m, &layer.bias_v})
      part->resize(layer.out);
    layers.push_back(std::move(layer));
  }
}

// Logits of one element; the inputs of every layer.
std::vector<double> HostTrainer::forward(const double* x,
                                         std::vector<std::vector<double>>* inputs) const {
  std::vector<double> values(x, x + layers.front().in);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    inputs->push_back(values);
    std::vector<double> sums = layer.bias;
    for (std::size_t r = 0; r < layer.in; ++r) {
      if (values[r] == 0) continue;
      for (std::size_t c = 0; c < layer.out; ++c)
        sums[c] += values[r] * layer.weight[r * layer.out + c];
    }
    if (i + 1 < layers.size())
      for (double& sum : sums) sum = std::max(sum, 0.0);
    values = std::move(sums);
  }
  return values;
}

HostTrainer::Result HostTrainer::evaluate(const std::vector<double>& x,
                                          const std::vector<std::int32_t>& labels) const {
  Result result;
  for (std::size_t b = 0; b < labels.size(); ++b) {
    std::vector<std::vector<double>> inputs;
    const std::vector<double> logits = forward(&x[b * layers.front().in], &inputs);
    const double max = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit - max);
    const double wanted = logits[static_cast<std::size_t>(labels[b])];
    result.loss += (std::log(sum) + max - wanted) / static_cast<double>(labels.size());
    result.correct += wanted >= max ? 1 : 0;
  }
  return result;
}

HostTrainer::Result HostTrainer::step(const std::vector<double>& x,
                                      const std::vector<std::int32_t>& labels, double rate) {
  const Result before = evaluate(x, labels);
  for (Layer& layer : layers) {
    std::fill(layer.weight_gradient.begin(), layer.weight_gradient.end(), 0.0);
    std::fill(layer.bias_gradient.begin(), layer.bias_gradient.end(), 0.0);
  }
  for (std::size_t b = 0; b < labels.size(); ++b) {
    std::vector<std::vector<double>> inputs;
    std::vector<double> error = forward(&x[b * layers.front().in], &inputs);
    const double max = *std::max_element(error.begin(), error.end());
    double sum = 0;
    for (const double logit : error) sum += std::exp(logit - max);
    for (double& logit : error) logit = std::exp(logit - max) / sum;
    error[static_cast<std::size_t>(labels[b])] -= 1;
    for (double& e : error) e /= static_cast<double>(labels.size());
    for (std::size_t i = layers.size(); i-- > 0;) {
      Layer& layer = layers[i];
      std::vector<double> back(layer.in, 0.0);
      for (std::size_t r = 0; r < layer.in; ++r) {
        if (inputs[i][r] == 0) continue;  // no gradient of its weights, none through the rectifier
        for (std::size_t c = 0; c < layer.out; ++c) {
          layer.weight_gradient[r * layer.out + c] += inputs[i][r] * error[c];
          back[r] += layer.weight[r * layer.out + c] * error[c];
        }
      }
      for (std::size_t c = 0; c < layer.out; ++c) layer.bias_gradient[c] += error[c];
      error = std::move(back);
    }
  }
  steps_ += 1;
  for (Layer& layer : layers) {
    update(layer.weight, layer.weight_gradient, layer.weight_m, layer.weight_v, rate);
    update(layer.bias, layer.bias_gradient, layer.bias_m, layer.bias_v, rate);
  }
  return before;
}

void HostTrainer::update(std::vector<double>& value, const std::vector<double>& gradient,
                         std::vector<double>& m, std::vector<double>& v, double rate) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double g = gradient[i];
    if (!rules_.adamw) {
      m[i] = rules_.momentum * m[i] + g;
      value[i] -= rate * m[i];
      continue;
    }
    m[i] = rules_.beta1 * m[i] + (1 - rules_.beta1) * g;
    v[i] = rules_.beta2 * v[i] + (1 - rules_.beta2) * g * g;
    const double m_corrected = m[i] / (1 - std::pow(rules_.beta1, steps_));
    const double v_corrected = v[i] / (1 - std::pow(rules_.beta2, steps_));
    value[i] -= rate * (m_corrected / (std::sqrt(v_corrected) + rules_.epsilon) +
                        rules_.weight_decay * value[i]);
  }
}

}  // namespace tern::tb
