// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/app/traffic/traffic_command.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/traffic/pattern.h"

namespace tern::app {

// The pattern that the options describe, then those of --also. Throws UserError, which names the
// option.
std::vector<fabric::Traffic> patterns_of(const TrafficOptions& options,
                                         const system::Fabric& fabric);

// "incast of 4K", "incast of 4K, 20 rounds every 1 us".
std::string describe(const fabric::Traffic& traffic);

}  // namespace tern::app
