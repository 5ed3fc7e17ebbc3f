// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/app/host/run_options.h"
#include "sw/app/kinds/search/search_record.h"
#include "sw/app/kinds/search/search_workload.h"

namespace tern::app {

// The parts of --time-plan become those of the workload's plan. False without the option; throws
// UserError if they cannot be.
bool take_timed_parts(const RunOptions& options, SearchWorkload* workload);

// A planner: what the search takes in every way to divide it that its plan leaves open, the fastest
// first, then those that cannot be. Each is simulated by a process of its own (--time-plan).
// UserError if none can be, RunError if a process fails for any other reason.
std::vector<SearchTrial> try_plans(const RunOptions& options, const SearchWorkload& workload,
                                   const use::Model& model);

// Such a process prints this. The exit code.
int print_time(double us);

}  // namespace tern::app
