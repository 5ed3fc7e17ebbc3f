// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/collectives/algorithms/algorithms.h"
#include "sw/system/fabric.h"
#include "systemc/collectives/schedule_run.h"
#include "systemc/fabric/packet/routes.h"

namespace tern::collectives {

// How chips are laid out: the axes of the whole torus; chips of equal parts of trays, trays of
// racks or servers, and these; else one axis. Of several units the same chips: these axes and the
// units. Rates are lanes.
bool is_whole_torus(const system::Fabric& fabric, const std::vector<std::uint32_t>& chips);
Axes axes_of(const system::Fabric& fabric, const std::vector<std::uint32_t>& chips);

// Streams that use all links of a chip to its switches: as many as there are; of a torus 1.
unsigned planes_of(const system::Fabric& fabric);

// Of the equal ways between two chips those that are in use: a rack may have spare links to its
// switches. Both arguments must outlive it.
Placed::WaysOf ways_of(const system::Fabric& fabric, fabric::packet::Routes& routes);

}  // namespace tern::collectives
