// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "sw/data/idx.h"
#include "sw/examples/digits/mlp.h"

namespace tern::digits {

struct TrainOptions {
  std::size_t hidden = 128;
  unsigned epochs = 30;
  std::uint64_t seed = 0;
  std::size_t batch = 100;
  float learning_rate = 0.05f;  // falls to zero along a half cosine
  float momentum = 0.9f;
  int shift = 1;  // each image moves by up to this many pixels in x and y, anew in each epoch
};

struct EpochResult {
  unsigned epoch = 0;  // from 1
  double loss = 0;     // mean cross-entropy over the (shifted) training images
  const Mlp& mlp;      // current weights, FP32
};

// Softmax cross-entropy, stochastic gradient descent with momentum, FP32, one thread, one fixed
// order: the same options give the same bits on the same machine. The result's weights are FP32,
// not yet rounded.
Mlp train(const data::ImageSet& set, const TrainOptions& options,
          const std::function<void(const EpochResult&)>& on_epoch = {});

}  // namespace tern::digits
