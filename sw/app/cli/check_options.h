// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sw/app/check/check_command.h"

namespace tern::app {

// The command `tern check` and its options; settings: of --set.
void add_check(CLI::App* app, CheckOptions* options, std::vector<std::string>* settings);

}  // namespace tern::app
