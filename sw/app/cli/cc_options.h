// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "sw/app/collectives/cc_command.h"

namespace tern::app {

void add_cc(CLI::App* app, CcOptions* options);

}  // namespace tern::app
