// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/nki/call/run_message.h"
#include "sw/platform/chips/chip_system.h"
#include "sw/platform/platform.h"
#include "sw/runtime/program_file.h"

namespace tern::nki {

// Results of a kernel's programs, and the time from the last start to the last end.
struct PartsResult {
  std::map<std::string, Bytes> outputs;  // by tensor
  std::uint64_t start_fs = 0, end_fs = 0;
  ChipCounters counters;  // in that time
};

// What the runtime of such a chip takes before and after a program.
runtime::Overhead overhead_of(const CoreConfig& core);

// Each program on a core, from core 0 on. Tensors of one name are one, but of ranks. overhead: the
// runtime's.
PartsResult run_parts(Platform& platform, runtime::ProgramFile program,
                      const Platform::InputViews& inputs, const runtime::Overhead& overhead,
                      const Simulation::Options& options);
// Ranks on the cores of several chips, chip by chip, on as many of each; in a host thread. Counters
// are those of the first chip. Throws UserError unless the ranks divide among the chips.
PartsResult run_ranks(ChipSystem& system, runtime::ProgramFile program,
                      const Platform::InputViews& inputs, const runtime::Overhead& overhead);

// What the caller gets; the outputs move there.
RunResponse response_of(PartsResult&& result, const runtime::Overhead& overhead);

}  // namespace tern::nki
