// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "sw/config/chip_config.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/dma.h"

// Rates of the 16 DMA engines of a core together, in 1e9 bytes per second.
namespace tern {

// What they move with nothing in their way.
inline double theoretical_gb_per_s(const ChipConfig& chip) {
  return TERN_CORE_DMA_COUNT * TERN_DMA_BEAT_BYTES * chip.dma.clock_ghz;
}

// What they reach between HBM and SBUF: the core's port to the network may be narrower.
inline double practical_gb_per_s(const ChipConfig& chip) {
  return std::min(theoretical_gb_per_s(chip) * chip.dma.efficiency, chip.noc.core_port_gb_per_s);
}

}  // namespace tern
