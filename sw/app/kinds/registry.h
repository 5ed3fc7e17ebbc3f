// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/app/kinds/kind.h"

namespace tern::app {

// All kinds by name, from the folders beside this file: registry.cpp.in.
const std::vector<Kind>& kinds();

// Loads the workload of options.workload and runs it as its kind says; the exit code.
int run_workload(const RunOptions& options);

}  // namespace tern::app
