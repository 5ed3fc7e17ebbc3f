// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/config/chip_config.h"

namespace tern {

// What a chip offers to an instruction.
struct CoreLimits {
  std::uint64_t sbuf_bytes = 256 * 1024;  // per partition
  std::uint64_t psum_bytes = 16 * 1024;
  std::uint64_t psum_bank_bytes = 2 * 1024;
  TensorFeatures tensor;
  unsigned exp_per_cycle = 4;  // 0: no exponential instruction
  ScalarFeatures scalar = {};
};

}  // namespace tern
