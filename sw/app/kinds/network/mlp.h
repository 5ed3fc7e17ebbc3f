// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sw/app/kinds/kind.h"
#include "sw/app/kinds/program_run.h"
#include "sw/numerics/activation.h"

namespace tern::app {

// `kind: mlp`: fully connected layers on a batch of inputs.

struct MlpLayer {
  std::size_t in = 0, out = 0;
  std::vector<float> weight;  // [in, out]; rounded to BF16 if the network is fused
  std::vector<float> bias;    // [out]
  numerics::ActFunction function = numerics::ActFunction::kRelu;  // after the bias
};

struct MlpWorkload : Workload {
  std::size_t batch = 0, features = 0;
  std::vector<float> input;          // [batch, features]; rounded as the weights are
  std::vector<std::uint8_t> labels;  // [batch], empty if none were given
  std::vector<MlpLayer> layers;
  bool softmax = true;  // after the last layer, whose function is the identity then
  std::vector<std::string> formats = {"bf16"};  // of the products
  std::optional<double> accuracy;               // least accuracy expected
  std::optional<ExpectedOutput> expected;       // of the probabilities

  std::string describe() const override;
  std::size_t classes() const { return layers.back().out; }
  // In BF16 alone, relu between, softmax at the end: one kernel does it (sw/kernels/mlp.h).
  bool fused() const;
};

MlpWorkload load_mlp(const config::YamlMap& top, std::uint64_t seed);

int run_mlp(const RunOptions& options, const MlpWorkload& mlp);

}  // namespace tern::app
