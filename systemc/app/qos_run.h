// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/app/options.h"
#include "systemc/app/workload.h"

namespace tern::app {

// `kind: qos` of a workload: every policy on a chip of its own, in one simulation. The exit code.
int run_qos(const RunOptions& options, const Workload& workload);

}  // namespace tern::app
