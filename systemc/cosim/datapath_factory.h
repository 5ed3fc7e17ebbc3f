// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sw/base/thread_team.h"
#include "sw/config/wave_options.h"
#include "systemc/core/core_options.h"

namespace tern {

// What the Verilated engines built by one factory have done so far.
struct CosimStatistics {
  // Evaluated cycles of the Verilated tensor engines, all together.
  std::uint64_t cycles_simulated() const {
    std::uint64_t all = 0;
    for (const auto& engine : cycles) all += engine();
    return all;
  }
  std::vector<std::function<std::uint64_t()>> cycles;  // of each engine
};

// Tensor engines of one chip for every back end: the fast model, the Verilated array at full size,
// or both in lockstep. `statistics` outlives the datapaths. The Verilated ones are evaluated by
// `threads`; null: by the thread that calls.
// `wave`: of "core0.tensor". `fpga_port`: serial device of the board that all cores with
// `tensor: fpga` share.
DatapathFactory make_cosim_factory(const std::shared_ptr<CosimStatistics>& statistics,
                                   std::shared_ptr<base::ThreadTeam> threads = nullptr,
                                   const WaveOfBlock& wave = nullptr,
                                   const std::string& fpga_port = {});

}  // namespace tern
