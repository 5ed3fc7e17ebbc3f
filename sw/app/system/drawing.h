// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/system/fabric.h"

namespace tern::app {

// The system as an SVG picture: trays with their chips, planes of switches, cables by medium.
std::string drawing_of(const system::Fabric& fabric);

// The same, its links coloured by their use, 0 .. 1, from blue to red: the larger of a link's two
// directions; note: below the title.
std::string heat_map_of(const system::Fabric& fabric, const std::vector<double>& use,
                        const std::string& note);

}  // namespace tern::app
