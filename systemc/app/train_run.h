// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/app/options.h"
#include "systemc/app/workload.h"

namespace tern::app {

// `kind: train`: trains, evaluates after every epoch, writes checkpoints; the exit code. The same
// file, chip and seed give the same bits, however often the run is interrupted and resumed.
int run_train(const RunOptions& options, const Workload& workload);

}  // namespace tern::app
