// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/collectives/operation.h"
#include "sw/system/fabric.h"
#include "systemc/fabric/transport.h"

namespace tern::collectives {

// What no algorithm is faster than, however it is scheduled: bytes over the payload rate of links.
struct Bound {
  double seconds = 0;
  std::string what;  // "links of a chip", "cut of 16 chips"
};

// Bytes a second that can flow from some chips of a system to the others of a group: the smallest
// cut of its links, which are used without overheads of packets.
double cut_of(const system::Fabric& fabric, const std::vector<std::uint32_t>& from,
              const std::vector<std::uint32_t>& to);

// The larger one of: what a chip must send or get over all its links; what parts of the group
// (trays, racks, units, halves of a torus) must send to the rest. chips_of_ranks: a chip may have
// several ranks. bytes: of `data`, or of `input`.
Bound bound_of(const Problem& problem, const std::vector<std::uint32_t>& chips_of_ranks,
               const system::Fabric& fabric, std::uint64_t bytes);

}  // namespace tern::collectives
