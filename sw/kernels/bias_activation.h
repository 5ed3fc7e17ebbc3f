// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/config/chip_config.h"
#include "sw/numerics/activation.h"
#include "sw/runtime/executable.h"

namespace tern::kernels {

// y[r, c] = function(x[r, c] + bias[r]) on the Scalar engine: what follows a product whose rows are
// features (sw/kernels/matmul.h). Tensors of the program, FP32, row major: inputs "c" [rows,
// columns], the product's output, and "bias" [rows]; output "y" [rows, columns].
struct BiasActivationSpec {
  std::uint64_t rows = 0, columns = 0;
  numerics::ActFunction function = numerics::ActFunction::kIdentity;
};

Executable build_bias_activation(const BiasActivationSpec& spec, const ChipConfig& chip);

}  // namespace tern::kernels
