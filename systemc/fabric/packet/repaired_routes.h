// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/packet/rising_routes.h"
#include "systemc/fabric/packet/routes.h"
#include "systemc/fabric/packet/up_down_routes.h"

namespace tern::fabric::packet {

// Ways around what is out of service. Whoever's way is in service keeps it. Others take the
// shortest way that is left if the system has switches and the virtual channels suffice, else go
// up and down in a virtual channel of its own. Free of deadlock: README.md. It borrows the state.
class RepairedRoutes final : public Routes {
 public:
  explicit RepairedRoutes(const faults::FaultState& state);

  unsigned vcs() const override { return rule_vcs_ + 1; }
  bool path(const Transfer& transfer, std::vector<Hop>* hops) override;
  // The first link out of service on the way that the transfer would have in a sound system.
  std::optional<std::uint32_t> obstacle(const Transfer& transfer);
  // The first link out of service on a way.
  std::optional<std::uint32_t> broken(const std::vector<Hop>& hops) const;
  bool usable(const std::vector<Hop>& hops) const { return !broken(hops); }

 private:
  void refresh();

  const faults::FaultState& state_;
  std::unique_ptr<Routes> sound_;
  bool torus_;
  unsigned rule_vcs_;
  std::uint64_t epoch_ = 0;  // of the two below
  std::unique_ptr<RisingRoutes> detours_;
  std::unique_ptr<UpDownRoutes> up_down_;
};

}  // namespace tern::fabric::packet
