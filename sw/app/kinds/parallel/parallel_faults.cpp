// SPDX-License-Identifier: Apache-2.0
#include "sw/app/kinds/parallel/parallel_faults.h"

#include <fmt/format.h>

#include "sw/app/link_faults/fault_tables.h"

namespace tern::app {

ParallelFaults::ParallelFaults(const system::Fabric& fabric,
                               const fabric::faults::FaultScript& script, std::uint64_t seed)
    : state_(fabric, script, seed) {
  state_.set_origin(fabric::kNever);
}

std::unique_ptr<fabric::Transport> ParallelFaults::make_network() {
  auto network = std::make_unique<fabric::packet::PacketNetwork>(state_);
  network_ = network.get();
  return network;
}

std::string ParallelFaults::losses(const ChipSystem& chips) const {
  const auto& loss = chips.network().first_loss();
  if (!loss) return "";
  const auto& nodes = chips.fabric().nodes();
  return fmt::format("{} could not reach {} at {:.3f} us; {}", nodes[loss->transfer.source].name,
                     nodes[loss->transfer.target].name,
                     static_cast<double>(loss->arrived - state_.origin()) * 1e-9,
                     reason_of_losses(state_));
}

}  // namespace tern::app
