// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/config/chip_config.h"

namespace tern::tb {

// The limits that the builder checks, without a preset file.
inline ChipConfig test_chip() {
  ChipConfig chip;
  chip.name = "test";
  chip.cores = 8;
  chip.core.sbuf_partition_bytes = 256 * 1024;
  chip.core.vector.exp_per_cycle = 4;
  chip.hbm.stacks = 4;
  chip.hbm.stack_bytes = std::uint64_t{36} << 30;
  return chip;
}

}  // namespace tern::tb
