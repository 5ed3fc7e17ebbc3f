// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "sw/app/gpsimd/gpsimd_command.h"

namespace tern::app {

// `tern gpsimd`, without --set.
CLI::App* add_gpsimd(CLI::App* app, GpsimdOptions* options);

}  // namespace tern::app
