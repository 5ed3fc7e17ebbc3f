// SPDX-License-Identifier: Apache-2.0
#include "systemc/link/flit/lane_map.h"

namespace tern::flit {

void LaneMap::cycle(const LaneMask& dead) {
  if (at_ == kPhysical) return;
  if (found_ < kLanes && !dead[at_]) physical_[found_++] = at_;
  ++at_;
}

LaneWords LaneMap::stripe(const FlitBytes& flit) const {
  LaneWords lanes{};
  for (unsigned i = 0; i < kFlitBytes; ++i) {
    lanes[physical_[i % kLanes]] |= std::uint32_t{flit[i]} << 8 * (i / kLanes);
  }
  return lanes;
}

FlitBytes LaneMap::destripe(const LaneWords& lanes) const {
  FlitBytes flit{};
  for (unsigned i = 0; i < kFlitBytes; ++i) {
    flit[i] = static_cast<std::uint8_t>(lanes[physical_[i % kLanes]] >> 8 * (i / kLanes));
  }
  return flit;
}

}  // namespace tern::flit
