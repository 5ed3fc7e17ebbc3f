// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sw/app/kinds/kind.h"

namespace tern::app {

// All kinds by name, from the folders beside this file: registry.cpp.in.
const std::vector<Kind>& kinds();

struct LoadedWorkload {
  const Kind& kind;
  std::unique_ptr<Workload> workload;
};

// The workload of options.workload, loaded and checked.
LoadedWorkload load_workload(const RunOptions& options);

// The chip of a workload where the command line names none.
std::string default_chip(const RunOptions& options);

// Loads it and runs it as its kind says; the exit code.
int run_workload(const RunOptions& options);

}  // namespace tern::app
