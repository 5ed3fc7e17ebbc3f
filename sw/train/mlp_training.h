// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/kernels/builder/cores/core_exchange.h"
#include "sw/layers/layers.h"
#include "sw/train/model.h"

namespace tern::train {

// A network of fully connected layers with rectifiers between them, softmax and cross-entropy.
struct MlpSpec : OptimiserRules {
  std::vector<std::uint32_t> sizes;  // {784, 128, 10}
  std::uint32_t batch = 0;           // of all cores together
  Precision precision = Precision::kBf16;
  bool masks = false;  // weights of all layers except the last stay zero where masks are zero

  std::size_t layers() const { return sizes.size() - 1; }
  std::uint32_t classes() const { return sizes.back(); }
  DType operand() const { return precision == Precision::kFp32 ? DType::kFp32 : DType::kBf16; }
  DType master() const { return precision == Precision::kStochastic ? DType::kBf16 : DType::kFp32; }
};

// State in HBM between steps, row major: "w0" [in, out], "b0" [1, out], the optimiser's
// moments "m.w0", "v.w0", ..., "mask.w0" (zeros and ones), and with stochastic rounding the
// generators' state "random".
std::vector<StateTensor> state_tensors(const MlpSpec& spec);
// Of these the network's own: weights and biases by layer.
std::vector<StateTensor> mlp_parameters(const MlpSpec& spec);

// Elements of the batch that each core works on. UserError if they cannot be divided equally.
std::uint32_t share_of(const MlpSpec& spec, unsigned cores);

// One step: the batch "x" [batch, features] (bf16, or fp32) and "labels" [1, batch] (int32) go
// forward and backward; the optimiser changes the state in place. Output "metrics" [1, 2]: mean
// loss, number correct. With `probes` every intermediate tensor is stored as well.
//
// With several cores: the program of one of them. x and labels are its share of the batch; the
// metrics are its contribution to the batch's. Gradients are summed over the cores, then each
// changes its own copy of the state: the same bits everywhere.
Executable build_training_step(const MlpSpec& spec, const ChipConfig& chip,
                               std::vector<Probe>* probes = nullptr,
                               const kernels::CoreGroup& group = {});
// The same share of the batch forward only, weights as they are. Output "correct" [batch, 1]: 1
// where no logit is larger than the label's, otherwise 0.
Executable build_evaluation(const MlpSpec& spec, const ChipConfig& chip, unsigned cores = 1);

// Of one core, with its share of the batch.
Model mlp_model(const MlpSpec& spec, const kernels::CoreGroup& group = {});
// Of cores 0 .. cores - 1.
std::vector<Model> mlp_models(const MlpSpec& spec, unsigned cores);

}  // namespace tern::train
