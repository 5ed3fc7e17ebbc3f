// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "sw/app/boot/boot_command.h"

namespace tern::app {

// The command `tern boot` and its options.
void add_boot(CLI::App* app, BootOptions* options);

}  // namespace tern::app
