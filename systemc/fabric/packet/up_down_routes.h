// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "systemc/fabric/packet/edges.h"
#include "systemc/fabric/packet/routes.h"

namespace tern::fabric::packet {

// Ways in any graph with one virtual channel: first up, towards the root of a tree, then down
// (Autonet's rule). There is one wherever there is any way.
class UpDownRoutes final : public Routes {
 public:
  // vc: the virtual channel of every hop.
  UpDownRoutes(const system::Fabric& fabric, const std::vector<bool>& usable, std::uint8_t vc);

  unsigned vcs() const override { return vc_ + 1U; }
  // The shortest way of its kind.
  bool path(const Transfer& transfer, std::vector<Hop>* hops) override;

 private:
  // Towards one chip, by place; a place is 2 * node, + 1 where the way only goes down.
  struct Field {
    std::vector<std::uint32_t> distance, ways;
  };
  const Field& field(std::uint32_t target);
  Field make_field(std::uint32_t target) const;
  bool up(std::uint32_t from, std::uint32_t to) const { return rank_[to] < rank_[from]; }

  unsigned tray_;  // chips of one
  std::uint8_t vc_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::uint32_t> rank_;  // by node: parents before children
  std::vector<Field> fields_;        // by target; empty: not yet made
};

}  // namespace tern::fabric::packet
