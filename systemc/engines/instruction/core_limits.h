// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/config/chip_config.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/tensor_shapes.h"

namespace tern {

// What a chip offers to an instruction.
struct CoreLimits {
  std::uint64_t sbuf_bytes = 256 * 1024;  // per partition
  std::uint64_t psum_bytes = TERN_CORE_PSUM_STRIDE;
  std::uint64_t psum_bank_bytes = TERN_TENSOR_BANK_COLUMNS * sizeof(float);
  TensorFeatures tensor;
  unsigned exp_per_cycle = 4;  // 0: no exponential instruction
  ScalarFeatures scalar = {};
};

}  // namespace tern
