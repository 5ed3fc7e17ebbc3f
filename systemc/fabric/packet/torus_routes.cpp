// SPDX-License-Identifier: Apache-2.0
#include "systemc/fabric/packet/torus_routes.h"

#include "systemc/fabric/packet/spreading.h"

namespace tern::fabric::packet {

bool only_torus(const system::Fabric& fabric) {
  const system::SystemConfig& c = fabric.config();
  return c.torus && !c.rack_switches && !c.tray_switches && c.tray_lanes == 0 &&
         (c.cross_lanes == 0 || c.groups == 1) && c.cables.empty();
}

TorusRoutes::TorusRoutes(const system::Fabric& fabric)
    : tray_(fabric.config().chips_per_tray),
      size_(fabric.config().torus->size),
      next_(fabric.chips()) {
  const auto& links = fabric.links();
  for (std::uint32_t n = 0; n < links.size(); ++n) {
    // A link was made from a chip to the next one along an axis (sw/system/fabric.cpp).
    unsigned stride = 1;
    for (std::size_t axis = 0; axis < size_.size(); ++axis) {
      const unsigned size = size_[axis];
      const unsigned a = links[n].a / stride % size;
      if (links[n].a - a * stride + (a + 1) % size * stride == links[n].b && size > 1) {
        next_[links[n].a][axis][0] = 2 * n;
        next_[links[n].b][axis][1] = 2 * n + 1;
        if (size == 2) {
          next_[links[n].a][axis][1] = 2 * n;
          next_[links[n].b][axis][0] = 2 * n + 1;
        }
      }
      stride *= size;
    }
  }
}

bool TorusRoutes::path(const Transfer& transfer, std::vector<Hop>* hops) {
  const std::uint64_t fraction = spread(transfer, tray_);
  std::uint32_t at = transfer.source;
  unsigned stride = 1;
  for (std::size_t axis = 0; axis < size_.size(); ++axis) {
    const unsigned size = size_[axis];
    const unsigned from = at / stride % size, to = transfer.target / stride % size;
    const unsigned up = (to + size - from) % size, down = (from + size - to) % size;
    // Both ways are equal half round: a bit for each axis.
    const bool go_up = up != down ? up < down : (fraction >> (63 - axis) & 1) == 0;
    std::uint8_t vc = 0;
    for (unsigned place = from; place != to;) {
      const unsigned next = (place + (go_up ? 1 : size - 1)) % size;
      const bool wraps = size > 2 && (go_up ? next == 0 : place == 0);
      if (wraps) vc = 1;
      hops->push_back({next_[at][axis][go_up ? 0 : 1], vc, 1});
      at = at - place * stride + next * stride;
      place = next;
    }
    stride *= size;
  }
  return true;
}

}  // namespace tern::fabric::packet
