// SPDX-License-Identifier: Apache-2.0
#include "tb/train/training_data.h"

#include <algorithm>
#include <cmath>

#include "sw/numerics/convert.h"

namespace tern::tb {

using train::MlpSpec;
using train::Optimiser;

double rounded(double value, numerics::DType dtype) {
  auto single = static_cast<float>(value);
  std::uint8_t bytes[4];
  numerics::narrow(dtype, &single, bytes, 1);
  numerics::widen(dtype, bytes, &single, 1);
  return static_cast<double>(single);
}

Batch random_batch(const MlpSpec& spec, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Batch batch;
  for (std::size_t i = 0; i < std::size_t{spec.batch} * spec.sizes.front(); ++i)
    batch.x.push_back(rounded(normal(random), spec.operand()));
  for (std::size_t i = 0; i < spec.batch; ++i)
    batch.labels.push_back(static_cast<std::int32_t>(random() % spec.classes()));
  return batch;
}

HostTrainer host_trainer(const MlpSpec& spec, const train::State& state) {
  HostTrainer::Rules rules;
  rules.adamw = spec.optimiser == Optimiser::kAdamW;
  rules.weight_decay = static_cast<double>(spec.weight_decay);
  HostTrainer host(spec.sizes, rules);
  const auto tensors = train::state_tensors(spec);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name.front() != 'w') continue;
    auto& weight = host.layers[static_cast<std::size_t>(tensors[i].name[1] - '0')].weight;
    std::vector<float> singles(weight.size());
    numerics::widen(tensors[i].dtype, state[i].data(), singles.data(), singles.size());
    weight.assign(singles.begin(), singles.end());
  }
  return host;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    error += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(error / norm);
}

}  // namespace tern::tb
