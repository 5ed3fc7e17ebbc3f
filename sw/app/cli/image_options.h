// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "sw/app/image/image_command.h"

namespace tern::app {

// The command `tern image` and its options.
void add_image(CLI::App* app, ImageOptions* options);
int run_image(const CLI::App& app, const ImageOptions& options);

}  // namespace tern::app
