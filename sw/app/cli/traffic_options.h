// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "sw/app/traffic/traffic_command.h"

namespace tern::app {

void add_traffic(CLI::App* app, TrafficOptions* options);

}  // namespace tern::app
