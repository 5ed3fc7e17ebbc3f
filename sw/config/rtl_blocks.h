// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "sw/config/chip_config.h"

namespace tern {

// A block of a core that is a fast model or Verilated RTL.
struct RtlBlock {
  const char* name;                         // as in the options of `tern run`: --NAME, --rtl NAME
  const char* key;                          // of the chip's file
  std::vector<Backend> ChipConfig::*place;  // by core
  const char* what;
};

constexpr RtlBlock kRtlBlocks[] = {
    {"tensor", "tensor", &ChipConfig::tensor, "tensor engine"},
    {"exp", "exp", &ChipConfig::exp, "exponential unit"},
    {"mx", "mx", &ChipConfig::mx, "MX converters"},
    {"near-memory", "near_memory", &ChipConfig::near_memory, "near-memory adders"},
    {"dma", "dma_backend", &ChipConfig::dma_backend, "DMA engines"}};

// Why the chip has no such block; null: it has.
inline const char* missing_block(const ChipConfig& chip, const RtlBlock& block) {
  if (block.place == &ChipConfig::exp && chip.core.vector.exp_per_cycle == 0)
    return "core.vector.exp_per_cycle is 0";
  if (block.place == &ChipConfig::mx && !chip.core.tensor.mx)
    return "core.tensor.features.mx is false";
  if (block.place == &ChipConfig::near_memory && !chip.dma.near_memory_add)
    return "dma.near_memory_add is false";
  return nullptr;
}

inline bool uses_rtl(const ChipConfig& chip, unsigned core) {
  return std::any_of(std::begin(kRtlBlocks), std::end(kRtlBlocks), [&](const RtlBlock& block) {
    return (chip.*block.place)[core] != Backend::kModel;
  });
}

}  // namespace tern
