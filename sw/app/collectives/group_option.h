// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/collectives/algorithms/algorithms.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/packet/routes.h"

namespace tern::app {

// The chips of a group as a user names them, in the order of their ranks: "all", or a list of
// numbers, ranges and names: "0-15", "rack0", "server0.tray2,server0.tray5.chip0". cores: ranks of
// each. Throws UserError.
std::vector<std::uint32_t> group_of(const system::Fabric& fabric, const std::string& text,
                                    unsigned cores);

// How such a group is laid out: the axes of the whole torus; chips of equal parts of trays, trays
// of racks or servers, and these; else one axis. Of several units the same chips: these axes and
// the units. Rates are lanes.
bool is_whole_torus(const system::Fabric& fabric, const std::vector<std::uint32_t>& chips);
collectives::Axes axes_of(const system::Fabric& fabric, const std::vector<std::uint32_t>& chips);

// Of the equal ways between two chips those that are in use: a rack may have spare links to its
// switches.
std::uint32_t used_ways(const system::Fabric& fabric, fabric::packet::Routes& routes,
                        std::uint32_t source, std::uint32_t target);

// Streams that use all links of a chip to its switches: as many as there are; of a torus 1.
unsigned planes_of(const system::Fabric& fabric);

}  // namespace tern::app
