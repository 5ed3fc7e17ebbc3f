// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/app/host/run_options.h"
#include "sw/app/kinds/variants.h"

namespace tern::app {

// `tern run` with several chips or values: every variant in a process of its own, as many at a time
// as there are processors, and one table of what the kind compares. With a report, a folder for
// each run beside it. The exit code: that of the worst run.
int compare_runs(const RunOptions& options, const std::vector<Variant>& variants);

}  // namespace tern::app
