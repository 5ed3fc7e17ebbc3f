// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/app/host/job.h"
#include "sw/app/host/run_options.h"
#include "sw/app/kinds/kind.h"
#include "sw/config/chip_config.h"

namespace tern::app {

// Writes the job's program as a program file, and the bytes of its inputs, as options.compile says.
// The exit code. UserError for a job of several programs.
int compile_job(const RunOptions& options, const Workload& workload, const Job& job,
                const ChipConfig& chip);

}  // namespace tern::app
