// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "systemc/fabric/packet/routes.h"

namespace tern::fabric::packet {

// Whether the links of a system are those of its torus and no others.
bool only_torus(const system::Fabric& fabric);

// By dimension, in each the shorter way round. A ring has a dateline where its numbers wrap: from
// there on a train uses the second virtual channel.
class TorusRoutes final : public Routes {
 public:
  explicit TorusRoutes(const system::Fabric& fabric);
  unsigned vcs() const override { return 2; }
  bool path(const Transfer& transfer, std::vector<Hop>* hops) override;

 private:
  unsigned tray_;  // chips of one
  std::vector<unsigned> size_;
  // By chip, then axis, then direction (0: up): channels.
  std::vector<std::array<std::array<std::uint32_t, 2>, 4>> next_;
};

}  // namespace tern::fabric::packet
