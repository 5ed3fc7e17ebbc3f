// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/app/options.h"
#include "systemc/app/workload.h"

namespace tern::app {

// `kind: moe` of a workload: every routing with tokens indexed in place and permuted first. The
// exit code.
int run_moe(const RunOptions& options, const Workload& workload);

}  // namespace tern::app
