// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sw/nrt/settings.h"
#include "sw/platform/hosted_chip.h"
#include "sw/platform/live/live_publisher.h"
#include "sw/platform/managed/managed_chip.h"
#include "sw/runtime/runtime.h"
#include "sw/runtime/status.h"
#include "systemc/chip/simulation.h"

namespace tern::nrt {

// The simulated chips. Made, used and destroyed in the thread of the simulation; only allocations
// of device memory may come from others.
class System {
 public:
  struct Device {
    std::unique_ptr<HostedChip> chip;
    std::unique_ptr<ManagedChip> managed;  // null: no management core
    std::uint32_t repairable = 0;          // errors that its firmware has counted so far
    std::unique_ptr<runtime::Runtime> runtime;
  };

  // Throws UserError.
  explicit System(const Settings& settings);

  Simulation& simulation() { return simulation_; }
  Device& device(unsigned n) { return devices_.at(n); }
  // In a SystemC thread: waits for the firmware, if there is one, and resets all cores.
  void start();
  // In a SystemC thread: what a failure of HBM is, if the firmware knows better.
  runtime::Status of_firmware(Device& device, runtime::Status status);

 private:
  Simulation simulation_;
  std::vector<Device> devices_;
  live::Publisher live_;  // for `tern ls` and `tern top`
};

}  // namespace tern::nrt
