// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sw/base/thread_team.h"
#include "systemc/core/core_options.h"

namespace tern {

// What the Verilated engines built by one factory have done so far.
struct CosimStatistics {
  std::uint64_t cycles_simulated() const { return cycles ? cycles() : 0; }
  std::function<std::uint64_t()>
      cycles;  // evaluated cycles of the Verilated tensor engine; empty: there is none
};

// Tensor engines of one chip for every back end: the fast model, the Verilated array at full size,
// or both in lockstep. `statistics` outlives the datapaths and describes the last Verilated one
// built. The Verilated ones are evaluated by `threads`; null: by the thread that calls.
DatapathFactory make_cosim_factory(const std::shared_ptr<CosimStatistics>& statistics,
                                   std::shared_ptr<base::ThreadTeam> threads = nullptr);

}  // namespace tern
