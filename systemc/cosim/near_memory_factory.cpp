// SPDX-License-Identifier: Apache-2.0
#include "systemc/cosim/near_memory_factory.h"

#include "systemc/cosim/near_memory_lockstep.h"
#include "systemc/cosim/near_memory_rtl.h"

namespace tern {

std::uint64_t NearMemoryStatistics::beats() const {
  std::uint64_t sum = 0;
  for (const NearMemoryRtl* unit : units) sum += unit->beats();
  return sum;
}

NearMemoryFactory make_near_memory_factory(const std::shared_ptr<NearMemoryStatistics>& statistics,
                                           const WaveOfBlock& wave) {
  return [statistics, wave](Backend backend,
                            const std::string& memory) -> std::unique_ptr<NearMemory> {
    if (backend == Backend::kModel) return make_near_memory_model();
    auto rtl =
        std::make_unique<NearMemoryRtl>(wave ? wave(memory + ".near_memory") : WaveOptions());
    statistics->units.push_back(rtl.get());
    if (backend == Backend::kRtl) return rtl;
    return std::make_unique<NearMemoryLockstep>(make_near_memory_model(), std::move(rtl));
  };
}

}  // namespace tern
