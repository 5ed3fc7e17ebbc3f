// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/host/run_options.h"
#include "sw/app/kinds/train/checkpoint_file.h"
#include "sw/app/kinds/train/train_record.h"
#include "sw/app/kinds/train/train_workload.h"

namespace tern::app {

// Throws UserError for an option that is of one chip alone.
void refuse_with_plan(const RunOptions& options, const Plan& plan);
// The parts of --time-plan become those of the workload's plan. False without the option; throws
// UserError if they cannot be.
bool take_timed_parts(const RunOptions& options, TrainWorkload* workload);

// The parts of a plan that left them open become those of the first of these checkpoints that has
// some that fit. Throws UserError if none has.
void take_resumed_parts(const std::vector<CheckpointHead>& checkpoints, TrainWorkload* workload);

// A planner: what a step takes in every way to divide the workload's batch and layers that its plan
// leaves open, the fastest first, then those that cannot be. Each is simulated by a process of its
// own (--time-plan), as many at a time as there are processors. UserError if none can be, RunError
// if a process fails for any other reason.
std::vector<PlanTrial> try_plans(const RunOptions& options, const TextTraining& training);

// Such a process: a step of the workload's plan, printed as JSON. The exit code.
int time_plan(const RunOptions& options, const TrainWorkload& workload);

}  // namespace tern::app
