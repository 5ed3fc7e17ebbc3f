// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "sw/app/live/live_options.h"

namespace tern::app {

// The commands `tern ls`, `tern top`, `tern monitor` and their options.
struct LiveOptions {
  LsOptions ls;
  TopOptions top;
  MonitorOptions monitor;
};
void add_live(CLI::App* app, LiveOptions* options);
// One of them was given.
bool got_live(const CLI::App& app);
int run_live(const CLI::App& app, const LiveOptions& options);

}  // namespace tern::app
