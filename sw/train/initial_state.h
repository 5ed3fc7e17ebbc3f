// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/train/mlp_training.h"

namespace tern::train {

// The bytes of every tensor of state_tensors(), in its order.
using State = std::vector<std::vector<std::uint8_t>>;

State zero_state(const std::vector<StateTensor>& tensors);
// Before the first step. The same seed gives the same bits everywhere.
State initial_state(const std::vector<StateTensor>& tensors, std::uint64_t seed);
inline State initial_state(const MlpSpec& spec, std::uint64_t seed) {
  return initial_state(state_tensors(spec), seed);
}

}  // namespace tern::train
