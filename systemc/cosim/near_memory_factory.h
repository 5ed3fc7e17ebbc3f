// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sw/config/wave_options.h"
#include "systemc/core/core_options.h"

namespace tern {

class NearMemoryRtl;

// What the Verilated adders built by one factory have done so far.
struct NearMemoryStatistics {
  std::vector<const NearMemoryRtl*> units;
  std::uint64_t beats() const;
};

// Near-memory adders for every back end: the fast model, the Verilated adders, or both in lockstep.
// `statistics` must not be read after the adders are destroyed. `wave`: of "core0.near_memory" and
// "hbm.near_memory".
NearMemoryFactory make_near_memory_factory(const std::shared_ptr<NearMemoryStatistics>& statistics,
                                           const WaveOfBlock& wave = nullptr);

}  // namespace tern
