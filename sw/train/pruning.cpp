// SPDX-License-Identifier: Apache-2.0
#include "sw/train/pruning.h"

#include <stdexcept>

#include "sw/kernels/pack/sparse_pack.h"
#include "sw/numerics/convert.h"

namespace tern::train {

namespace {

std::size_t place_of(const std::vector<StateTensor>& tensors, const std::string& name) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name) return i;
  }
  throw std::logic_error("no state tensor " + name);
}

}  // namespace

std::vector<float> weight_of_state(const MlpSpec& spec, const State& state, std::size_t layer) {
  const auto tensors = state_tensors(spec);
  const std::size_t at = place_of(tensors, "w" + std::to_string(layer));
  std::vector<float> values(tensors[at].elements());
  numerics::widen(tensors[at].dtype, state[at].data(), values.data(), values.size());
  return values;
}

void prune_state(const MlpSpec& spec, kernels::Sparsity sparsity, State* state) {
  const auto tensors = state_tensors(spec);
  for (std::size_t layer = 0; layer + 1 < spec.layers(); ++layer) {
    std::vector<float> values = weight_of_state(spec, *state, layer);
    kernels::prune(&values, spec.sizes[layer], spec.sizes[layer + 1], sparsity);
    const std::string name = "w" + std::to_string(layer);
    const std::size_t weight = place_of(tensors, name), mask = place_of(tensors, "mask." + name);
    numerics::narrow(tensors[weight].dtype, values.data(), (*state)[weight].data(), values.size());
    for (float& value : values) value = value != 0 ? 1.0f : 0.0f;
    numerics::narrow(tensors[mask].dtype, values.data(), (*state)[mask].data(), values.size());
  }
}

}  // namespace tern::train
