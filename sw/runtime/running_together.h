// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "sw/runtime/host_port.h"
#include "sw/runtime/runtime.h"

namespace tern::runtime {

// Of programs that run at the same time and wait for each other: one, and the host of its chip.
struct RunningProgram {
  HostPort* host = nullptr;
  Runtime* runtime = nullptr;
  Program* program = nullptr;
};

// Until none runs any more, one has failed, or they wait for each other. The number of the one that
// has failed, otherwise 0: the first for Runtime::wait(), as the others wait for it in vain. In a
// host thread.
std::size_t run_to_the_end(const std::vector<RunningProgram>& programs);

// Executes them, the first one last, since the others wait for it, and waits until all have ended.
// The result is the first one's, until the last one has ended. In a host thread.
RunResult run_together(const std::vector<RunningProgram>& programs);

}  // namespace tern::runtime
