// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/app/kinds/train/train_workload.h"

namespace tern::app {

// `kind: train` with a section `scaling`: steps on one core and on several, with a batch that they
// share (strong) and with one for each (weak); the exit code. Fails if cores end with different
// weights, or if several cores learn otherwise than one does from the same batches.
int run_scaling(const RunOptions& options, const TrainWorkload& workload);

}  // namespace tern::app
