// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "systemc/hbm/device.h"

namespace tern::tb {

// Re-checks a recorded command trace of one pseudo-channel against the constraints, pair by pair,
// from the configuration in nanoseconds alone, independent of the scheduler. Returns the first
// few violations in words.
std::vector<std::string> check_commands(const hbm::Config& config,
                                        std::vector<hbm::Command> commands);

}  // namespace tern::tb
