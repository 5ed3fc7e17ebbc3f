// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/kernels/builder/tensor/products.h"
#include "sw/train/initial_state.h"

namespace tern::train {

// Clears the smallest weights of every layer that has a mask, so that M of every N consecutive
// inputs of a unit remain (sw/kernels/pack). Sets the masks so that the others stay zero.
void prune_state(const MlpSpec& spec, kernels::Sparsity sparsity, State* state);

// A weight of the state in FP32.
std::vector<float> weight_of_state(const MlpSpec& spec, const State& state, std::size_t layer);

}  // namespace tern::train
