// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "systemc/fabric/packet/edges.h"
#include "systemc/fabric/packet/routes.h"

namespace tern::fabric::packet {

// Any of the shortest ways, in any graph. The virtual channel rises with every channel of a path
// but the first and those from a switch to a chip.
class RisingRoutes final : public Routes {
 public:
  // Throws UserError: ways with more than kMostVcs virtual channels.
  explicit RisingRoutes(const system::Fabric& fabric);
  // Over usable links only, and none that needs more than so many virtual channels.
  RisingRoutes(const system::Fabric& fabric, const std::vector<bool>& usable, unsigned vcs);
  static constexpr unsigned kMostVcs = 8;

  unsigned vcs() const override { return vcs_; }
  bool path(const Transfer& transfer, std::vector<Hop>* hops) override;
  std::uint32_t ways(std::uint32_t source, std::uint32_t target) override {
    return field(target).ways[source];
  }

 private:
  // Towards one chip.
  struct Field {
    std::vector<std::uint16_t> distance;
    std::vector<std::uint32_t> ways;
  };

  const Field& field(std::uint32_t target);
  Field make_field(std::uint32_t target) const;
  unsigned most_vcs(const Field& field) const;
  bool rises(std::uint32_t from, std::uint32_t to) const { return from < chips_ || to >= chips_; }

  std::uint32_t chips_;
  unsigned tray_;  // chips of one
  std::vector<std::vector<Edge>> edges_;
  std::vector<Field> fields_;  // by target; empty: not yet made
  unsigned vcs_ = 1;
};

}  // namespace tern::fabric::packet
