// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/config/load_chip_config.h"

namespace tern::config {

// Settings that a user made, in a file or on the command line, and that change nothing on this
// chip: "FILE:LINE: key '...': no effect, ...". A preset's own values are never meant.
std::vector<std::string> settings_without_effect(const ChipConfig& chip,
                                                 const std::vector<ConfigValue>& values);

}  // namespace tern::config
