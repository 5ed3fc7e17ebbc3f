// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/platform/platform.h"
#include "sw/runtime/program_file.h"

namespace tern::nki {

// Results of a kernel's programs, and the time from the last start to the last end.
struct PartsResult {
  std::map<std::string, Bytes> outputs;  // by tensor
  std::uint64_t start_fs = 0, end_fs = 0;
  ChipCounters counters;  // in that time
};

// Each program on a core, from core 0 on. Tensors of one name are one, but of ranks. overhead: the
// runtime's.
PartsResult run_parts(Platform& platform, runtime::ProgramFile program,
                      const Platform::InputViews& inputs, const runtime::Overhead& overhead,
                      const Simulation::Options& options);

}  // namespace tern::nki
