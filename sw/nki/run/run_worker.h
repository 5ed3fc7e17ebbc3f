// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/nki/run/run_observer.h"

namespace tern::nki {

// The process that simulates: takes a RunRequest from one file descriptor, runs it on a fresh chip,
// writes the RunResponse to the other. The exit code; errors are in the response. Ends with the
// process that has started it.
int run_worker(int request, int response, RunObserver* observer);

}  // namespace tern::nki
