// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sw/config/load_chip_config.h"

namespace tern::app {

// Option --set of a command, and what its values mean. UserError: not KEY=VALUE.
void add_overrides(CLI::App* command, std::vector<std::string>* settings);
std::vector<ConfigOverride> parse_overrides(const std::vector<std::string>& settings);

}  // namespace tern::app
