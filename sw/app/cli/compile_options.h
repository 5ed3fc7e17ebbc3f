// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sw/app/host/run_options.h"

namespace tern::app {

// The command `tern compile` and its options.
void add_compile(CLI::App* app, RunOptions* options);

}  // namespace tern::app
