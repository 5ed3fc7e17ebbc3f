// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sw/base/thread_team.h"
#include "sw/config/wave_options.h"
#include "systemc/core/core_options.h"

namespace tern {

namespace dma {
class DmaRtl;
}

// What the Verilated DMA engines built by one factory have done so far.
struct DmaStatistics {
  std::vector<const dma::DmaRtl*> units;
  std::uint64_t cycles_simulated() const;
};

// DMA engines of one chip for every back end: the model, the Verilated engine, or both in lockstep.
// `statistics` must not be read after the engines are destroyed. The Verilated ones are evaluated
// by `threads`; null: by the thread that calls. `wave`: of "core0.dma3".
DmaFactory make_dma_factory(const std::shared_ptr<DmaStatistics>& statistics,
                            std::shared_ptr<base::ThreadTeam> threads = nullptr,
                            const WaveOfBlock& wave = nullptr);

}  // namespace tern
