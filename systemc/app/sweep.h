// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/app/options.h"
#include "systemc/app/workload.h"

namespace tern::app {

// One matrix product in every format of the workload, as a table; the exit code.
int run_sweep(const RunOptions& options, const Workload& workload);

}  // namespace tern::app
