// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "sw/app/system/system_command.h"

namespace tern::app {

// Option --units of whatever takes a system.
void add_units(CLI::App* command, std::optional<unsigned>* units);
// The command `tern system` and its options.
void add_system(CLI::App* app, SystemOptions* options);
int run_system(const CLI::App& app, const SystemOptions& options);

}  // namespace tern::app
