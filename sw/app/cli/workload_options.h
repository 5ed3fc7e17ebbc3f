// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sw/app/host/run_options.h"

namespace tern::app {

// The command `tern run`. chips, settings: of --chip and --set, which may be given more than once.
void add_run(CLI::App* app, RunOptions* options, std::vector<std::string>* chips,
             std::vector<std::string>* settings);

}  // namespace tern::app
