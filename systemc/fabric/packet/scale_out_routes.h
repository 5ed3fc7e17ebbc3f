// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "systemc/fabric/packet/routes.h"

namespace tern::fabric::packet {

// Several units: inside of each its own ways, between them over the network: leaf, or leaf, spine
// and leaf. Each chip sends and receives by its own NIC.
class ScaleOutRoutes final : public Routes {
 public:
  explicit ScaleOutRoutes(const system::Fabric& fabric);

  unsigned vcs() const override { return inside_->vcs(); }
  bool path(const Transfer& transfer, std::vector<Hop>* hops) override;
  std::uint32_t ways(std::uint32_t source, std::uint32_t target) override;

 private:
  unsigned unit_of(std::uint32_t chip) const { return chip / chips_; }

  std::uint32_t chips_, links_;  // of a unit
  std::unique_ptr<Routes> inside_;
  // Channels up: of each chip to its leaf, of each leaf to the spine. One, or one for each port.
  std::vector<std::vector<std::uint32_t>> nics_, uplinks_;
  std::vector<std::uint32_t> leaf_of_;  // of a chip
};

}  // namespace tern::fabric::packet
