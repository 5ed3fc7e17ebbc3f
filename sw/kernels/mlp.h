// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/config/chip_config.h"
#include "sw/numerics/dtype.h"
#include "sw/runtime/executable.h"

namespace tern::kernels {

// A multi-layer perceptron: y = W^T x + b per layer, ReLU between, softmax at the end.
//
// Tensors of the program, row major:
//   input "x" [features, batch], BF16 or FP16: the transpose of the images, so that rows are long
//   weights "w<i>" [in, out], as the input, and "b<i>" [out], FP32, for i = 0, 1, ...
//   outputs "logits" and "probabilities" [batch, classes], FP32
//
// Any layer sizes, any number of layers, any batch; at most 512 classes. Weights stay in SBUF when
// they fit, otherwise they are read again for every block of the batch.
//
// Arithmetic (docs/numerics.md): matmuls in slabs of 128 inputs as in sw/kernels/matmul.h; hidden
// layers round(relu(sum + b)) to the input's format; the last adds its bias in FP32; softmax in
// FP32: u = z + (-max z), e = exp(u), p = e * (1 / sum e), the sum a chain in class order.
struct MlpSpec {
  std::uint64_t batch = 0;
  std::vector<std::uint64_t> sizes;  // features, hidden ..., classes
  numerics::DType dtype = numerics::DType::kBf16;
};

Executable build_mlp(const MlpSpec& spec, const ChipConfig& chip);

}  // namespace tern::kernels
