// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/system/fabric.h"

namespace tern::app {

// The system as an SVG picture: trays with their chips, planes of switches, cables by medium.
std::string drawing_of(const system::Fabric& fabric);

}  // namespace tern::app
