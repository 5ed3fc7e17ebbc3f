// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/train/mlp_training.h"

namespace tern::train {

// The bytes of every tensor of state_tensors(), in its order.
using State = std::vector<std::vector<std::uint8_t>>;

// Before the first step: weights uniform within sqrt(6 / in) (He et al., 2015), generators from the
// seed, masks one, everything else zero. The same seed gives the same bits everywhere.
State initial_state(const MlpSpec& spec, std::uint64_t seed);

}  // namespace tern::train
