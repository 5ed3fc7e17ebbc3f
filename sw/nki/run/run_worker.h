// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/chip/chip.h"

namespace tern::nki {

// The process that simulates: takes a RunRequest from one file descriptor, runs it on a fresh chip,
// writes the RunResponse to the other. The exit code; errors are in the response. Ends with the
// process that has started it.
// options: back ends of engines, for requests that ask for RTL.
int run_worker(int request, int response, const ChipOptions& options);

}  // namespace tern::nki
