// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/app/options.h"
#include "systemc/app/workload.h"

namespace tern::app {

// kind: search. Returns the exit code.
int run_search(const RunOptions& options, const Workload& workload);

}  // namespace tern::app
