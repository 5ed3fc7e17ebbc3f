// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "sw/platform/chips/chip_system.h"
#include "systemc/fabric/faults/fault_state.h"
#include "systemc/fabric/packet/packet_network.h"

namespace tern::app {

// What happens to the links of a system while programs run on its chips.
class ParallelFaults {
 public:
  // seed: of bit errors.
  ParallelFaults(const system::Fabric& fabric, const fabric::faults::FaultScript& script,
                 std::uint64_t seed);

  // The network between the chips; once.
  std::unique_ptr<fabric::Transport> make_network();
  // The programs have begun: times of the script count from now on.
  void begin(fabric::Time now) { network_->begin_faults(now); }

  // What was lost between the chips first, and why; empty: nothing was.
  std::string losses(const ChipSystem& chips) const;
  const fabric::faults::FaultState& state() const { return state_; }

 private:
  fabric::faults::FaultState state_;
  fabric::packet::PacketNetwork* network_ = nullptr;
};

}  // namespace tern::app
