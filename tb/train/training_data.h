// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sw/train/initial_state.h"
#include "sw/train/mlp_training.h"
#include "tb/train/host_trainer.h"

namespace tern::tb {

struct Batch {
  std::vector<double> x;
  std::vector<std::int32_t> labels;
};
Batch random_batch(const train::MlpSpec& spec, std::mt19937_64& random);
double rounded(double value, numerics::DType dtype);

// With the initial weights of the chip.
HostTrainer host_trainer(const train::MlpSpec& spec, const train::State& state);

double largest_difference(const std::vector<double>& a, const std::vector<double>& b);
// rms(a - b) / rms(b)
double relative_error(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tern::tb
