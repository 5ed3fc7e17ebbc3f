// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/system/fabric.h"

namespace tern::app {

// The system as an SVG picture: trays with their chips, planes of switches, cables by medium.
std::string drawing_of(const system::Fabric& fabric);

struct LinkHeat {
  double use = 0;     // 0 .. 1: the larger one of its two directions
  bool dead = false;  // out of service
};

// The same with its links coloured by their use, from blue to red; dead links are dashed lines.
// note: below the title.
std::string heat_map_of(const system::Fabric& fabric, const std::vector<LinkHeat>& links,
                        const std::string& note);

}  // namespace tern::app
